// SPDX-License-Identifier: MIT
import { appendFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { listTripFiles } from './list-trip-files.ts';
import { printTrips, type TripRow } from './print-trips.ts';
import { FORMATS, type Held, type Package, runTrip } from './run-trip.ts';

export interface TripOptions {
  data: string;
  public?: string;
  dist: string;
  program: string;
  folder: string;
  only: string;
}

/** Takes every file through every format and back, and prints the table. Returns the exit status. */
export async function runTrips(options: TripOptions): Promise<number> {
  const own = await openPackage(options);
  const store = join(options.folder, 'trips.jsonl');
  mkdirSync(options.folder, { recursive: true });
  rmSync(store, { force: true });
  const rows: TripRow[] = [];
  for (const file of listTripFiles(options.data, options.public)) {
    if (!new RegExp(options.only).test(file.name)) continue;
    const row: TripRow = { name: file.name, held: await own.list(file.path), trips: [] };
    for (const format of FORMATS) row.trips = [...row.trips, await runTrip(file, format, own)];
    rows.push(row);
    appendFileSync(store, `${JSON.stringify(row)}\n`);
    for (const { format, ...trip } of row.trips) console.error(`${file.name} ${format}: ${JSON.stringify(trip)}`);
  }
  const table = printTrips(rows);
  writeFileSync(join(options.folder, 'trips.md'), table);
  console.log(table);
  return rows.some(({ trips }) => trips.some(({ fault, unnamed }) => fault !== undefined || unnamed.length > 0))
    ? 1
    : 0;
}

/** The built package, by its public functions and the reader of files of the command line. */
async function openPackage({ dist, program, folder }: TripOptions): Promise<Package> {
  const load = (path: string) => import(/* @vite-ignore */ pathToFileURL(resolve(dist, path)).href);
  const { listContents } = await load('entry/index.js');
  const { openFiles } = await load('hosts/disk/index.js');
  return {
    program,
    folder,
    list: async (path) => listContents((await openFiles(path, {})).asset) as Held,
  };
}
