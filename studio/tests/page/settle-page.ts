// SPDX-License-Identifier: MIT
import type { Page } from 'playwright-core';

/** Waits until a page has drawn what was changed. */
export function settlePage(page: Page): Promise<void> {
  return page.evaluate(async () => {
    for (let n = 0; n < 4; n++) await new Promise(requestAnimationFrame);
  });
}
