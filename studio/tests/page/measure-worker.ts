// SPDX-License-Identifier: MIT
// For tests: the memory of a page's worker, by the protocol of the browser's developer tools.
import type { Page } from 'playwright-core';

/** Returns a function that collects garbage in the first worker of a page, and gives the bytes that are left: objects and arrays. */
export async function makeWorkerMeter(page: Page): Promise<() => Promise<number>> {
  const session = await page.context().newCDPSession(page);
  const attached = new Promise<string>((resolve) => {
    session.on('Target.attachedToTarget', ({ sessionId, targetInfo }) => {
      if (targetInfo.type === 'worker') resolve(sessionId);
    });
  });
  await session.send('Target.setAutoAttach', { autoAttach: true, waitForDebuggerOnStart: false, flatten: false });
  const sessionId = await attached;
  let last = 0;
  const call = (method: string): Promise<Record<string, number>> => {
    const id = ++last;
    const answered = new Promise<Record<string, number>>((resolve) => {
      const listen = ({ message }: { message: string }): void => {
        const answer = JSON.parse(message) as { id?: number; result?: Record<string, number> };
        if (answer.id !== id) return;
        session.off('Target.receivedMessageFromTarget', listen);
        resolve(answer.result ?? {});
      };
      session.on('Target.receivedMessageFromTarget', listen);
    });
    void session.send('Target.sendMessageToTarget', { sessionId, message: JSON.stringify({ id, method }) });
    return answered;
  };
  return async () => {
    await call('HeapProfiler.collectGarbage');
    const { usedSize, backingStorageSize = 0 } = await call('Runtime.getHeapUsage');
    return usedSize + backingStorageSize;
  };
}
