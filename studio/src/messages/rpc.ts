// SPDX-License-Identifier: MIT
// Calls between a page and a worker: each call has a number and gets a reply or an error message; events may come in between.

interface Request {
  call: number;
  name: string;
  give: unknown;
}

type Reply = { reply: number; get: unknown } | { reply: number; fault: string; faultName: string };

/** Either end: a Worker, or the global scope of a worker. */
export interface Port {
  postMessage(message: unknown, transfer: Transferable[]): void;
  onmessage: ((event: MessageEvent) => void) | null;
}

/** A value whose buffers are transferred instead of copied. */
export class Moved<T> {
  readonly value: T;
  readonly transfer: Transferable[];
  constructor(value: T, transfer: Transferable[]) {
    this.value = value;
    this.transfer = transfer;
  }
}

export type GiveOf<T> = T extends { give: infer G } ? G : never;
export type GetOf<T> = T extends { get: infer G } ? G : never;

export interface Client<C> {
  call<N extends keyof C & string>(name: N, give: GiveOf<C[N]>, transfer?: Transferable[]): Promise<GetOf<C[N]>>;
}

/** The calling end. Messages that are not replies are events. */
export function makeClient<C>(port: Port, onEvent: (event: unknown) => void): Client<C> {
  const open = new Map<number, { resolve: (value: never) => void; reject: (error: Error) => void }>();
  let last = 0;
  port.onmessage = ({ data }: MessageEvent) => {
    if (typeof data?.reply !== 'number') {
      onEvent(data);
      return;
    }
    const reply = data as Reply;
    const waiting = open.get(reply.reply);
    open.delete(reply.reply);
    if ('fault' in reply) {
      const error = new Error(reply.fault);
      error.name = reply.faultName;
      waiting?.reject(error);
    } else waiting?.resolve(reply.get as never);
  };
  return {
    call(name, give, transfer = []) {
      const call = ++last;
      return new Promise((resolve, reject) => {
        open.set(call, { resolve, reject });
        port.postMessage({ call, name, give } satisfies Request, transfer);
      });
    },
  };
}

export type Handlers<C> = { [N in keyof C]: (give: GiveOf<C[N]>) => Promise<GetOf<C[N]> | Moved<GetOf<C[N]>>> };

/** The answering end. Errors of handlers are sent as messages. */
export function serve<C>(port: Port, handlers: Handlers<C>): void {
  port.onmessage = async ({ data }: MessageEvent) => {
    const { call, name, give } = data as Request;
    try {
      const got = await handlers[name as keyof C](give as never);
      if (got instanceof Moved) port.postMessage({ reply: call, get: got.value } satisfies Reply, got.transfer);
      else port.postMessage({ reply: call, get: got } satisfies Reply, []);
    } catch (error) {
      port.postMessage({ reply: call, fault: sentenceOf(error), faultName: nameOf(error) } satisfies Reply, []);
    }
  };
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : 'Error';
}

/** The message of an error; a clearer one if memory ran out. */
export function sentenceOf(error: unknown): string {
  if (error instanceof RangeError) return 'this is too large for the memory that the page may use';
  return error instanceof Error ? error.message : String(error);
}
