// SPDX-License-Identifier: MIT
import { UsageError } from '../../core/model/errors.ts';

/** Where a queue is, and how to log in. */
export interface QueueAddress {
  host: string;
  port: number;
  db: number;
  username?: string;
  password?: string;
  /** Present for rediss://. */
  tls?: object;
}

/** Parses redis://user:password@host:6379/0, or rediss:// for TLS. Errors do not quote the address: it may hold a password. */
export function parseQueueAddress(text: string, password?: string): QueueAddress {
  const fail = (): never => {
    throw new UsageError('--queue', 'is not the address of a queue; write redis://host:6379, or rediss:// for TLS');
  };
  if (!URL.canParse(text)) fail();
  const url = new URL(text);
  const db = url.pathname.replace(/^\//, '');
  if (!/^rediss?:$/.test(url.protocol) || url.hostname === '' || !/^\d{0,3}$/.test(db)) fail();
  const secret = url.password === '' ? password : decodeURIComponent(url.password);
  return {
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port === '' ? 6379 : Number(url.port),
    db: Number(db),
    ...(url.username === '' ? {} : { username: decodeURIComponent(url.username) }),
    ...(secret === undefined || secret === '' ? {} : { password: secret }),
    ...(url.protocol === 'rediss:' ? { tls: {} } : {}),
  };
}

/** The address without user and password, for messages and reports. */
export function describeQueueAddress({ host, port, db, tls }: QueueAddress): string {
  const name = host.includes(':') ? `[${host}]` : host;
  return `${tls ? 'rediss' : 'redis'}://${name}:${port}${db === 0 ? '' : `/${db}`}`;
}
