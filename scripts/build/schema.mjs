// SPDX-License-Identifier: MIT
// Writes the JSON schemas of jobs and reports, dist/schema/*.json, from the compiled library.
import { mkdirSync, writeFileSync } from 'node:fs';

const at = (path) => new URL(`../../${path}`, import.meta.url);
const { makeJobSchema, makeReportSchema } = await import(at('dist/jobs/table/make-schemas.js').href);
mkdirSync(at('dist/schema'), { recursive: true });
for (const [name, schema] of [
  ['job', makeJobSchema()],
  ['report', makeReportSchema()],
])
  writeFileSync(at(`dist/schema/${name}.json`), `${JSON.stringify(schema, null, 2)}\n`);
