// SPDX-License-Identifier: MIT

/** Files on remote storage, by their URL. The only implementation is connectS3; tests pass others. */
export interface RemoteFiles {
  /** A text that changes with the bytes of a file. */
  identify(url: string): Promise<string>;
  /** Copies a file to the disk. */
  download(url: string, path: string): Promise<void>;
  /** Stores a file, whole or not at all, with the id of the job that made it. */
  upload(url: string, path: string, id: string): Promise<void>;
  /** The id of the job that made a file; undefined if there is no such file, or it was not made by a batch. */
  idOf(url: string): Promise<string | undefined>;
}

/** Whether a name is the URL of a file on remote storage. */
export function isRemote(name: string): boolean {
  return name.startsWith('s3://');
}
