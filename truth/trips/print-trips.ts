// SPDX-License-Identifier: MIT
import { explainDistance } from './explain-distance.ts';
import { FORMATS, type Held, type Trip } from './run-trip.ts';

/** A file with what became of it in every format. */
export interface TripRow {
  name: string;
  held: Held;
  trips: readonly Trip[];
}

/** The table of docs/formats: what each file holds, and what is lost on the way through each format and back. */
export function printTrips(rows: readonly TripRow[]): string {
  const trips = rows.flatMap((row) => row.trips);
  const unnamed = trips.flatMap((trip) => trip.unnamed);
  const whole = trips.filter(({ fault, lost }) => fault === undefined && lost.length === 0);
  const near = trips.filter(({ played, returned, unplayed }) => unplayed === undefined && !played && !returned);
  return [
    `${rows.length} files, ${trips.length} round trips: ${whole.length} keep everything, ${unnamed.length} things are lost without a note. Positions of ${near.length} trips are within 0.001 % of the size at all frames and between them.`,
    '',
    `| file | holds | ${FORMATS.map((format) => format.toUpperCase()).join(' | ')} |`,
    `|---|---|${FORMATS.map(() => '---|').join('')}`,
    ...rows.map(
      ({ name, held, trips: own }) =>
        `| ${[
          name,
          describeHeld(held),
          ...FORMATS.map((format) =>
            describeTrip(
              name,
              own.find((trip) => trip.format === format),
            ),
          ),
        ]
          .map(escapeCell)
          .join(' | ')} |`,
    ),
    '',
  ].join('\n');
}

/** As "2 meshes, 3 materials, 1 image". */
function describeHeld(held: Held): string {
  const counts: readonly (readonly [number, string, string])[] = [
    [held.meshes.length, 'mesh', 'meshes'],
    [held.materials.length, 'material', 'materials'],
    [held.images.length, 'image', 'images'],
    [held.uvSets, 'UV set', 'UV sets'],
    [held.colorSets, 'colour set', 'colour sets'],
    [held.morphTargets.length, 'morph target', 'morph targets'],
    [held.joints.length, 'joint', 'joints'],
    [held.nodes.length, 'node', 'nodes'],
    [held.animations.length, 'take', 'takes'],
    [held.cameras.length, 'camera', 'cameras'],
    [held.lights.length, 'light', 'lights'],
    [held.extras.length, 'custom property', 'custom properties'],
  ];
  return counts
    .filter(([count]) => count > 0)
    .map(([count, one, many]) => `${count} ${count === 1 ? one : many}`)
    .join(', ');
}

function describeTrip(name: string, trip: Trip | undefined): string {
  if (!trip) return '–';
  if (trip.fault !== undefined) return trip.fault;
  const kept =
    trip.lost.length === 0 ? 'all kept' : trip.lost.map((what) => `${what}${reasonOf(trip, what)}`).join('; ');
  return `${kept}${describePlayed(name, trip)}`;
}

/** What the notes say, once for each reason. */
function reasonOf({ reasons, unnamed }: Trip, what: string): string {
  if (unnamed.includes(what)) return ' (no note)';
  const [kind] = what.split(' ');
  const words = kind.toLowerCase().replace(/s$|sets$|targets$/, '');
  const found = reasons.find((reason) => reason.toLowerCase().replaceAll(' ', '').includes(words));
  return found ? ` (${found.replace(/^[^:]*: /, '')})` : '';
}

function describePlayed(name: string, { format, played, returned, unplayed }: Trip): string {
  const why = explainDistance(name, format);
  const reason = why === undefined ? '' : ` (${why})`;
  if (unplayed !== undefined) return `, not played${reason}`;
  const worst = Math.max(played ?? 0, returned ?? 0);
  return worst > 0 ? `, ${worst.toPrecision(2)} %${reason}` : '';
}

const escapeCell = (text: string): string => text.replaceAll('|', '\\|');
