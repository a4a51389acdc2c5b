// SPDX-License-Identifier: MIT
import { listReferences } from '../../../deformers/playback/index.ts';
import type { PosedAsset } from '../../../fit/poses/index.ts';
import type { JobContext, JobFacts, ReportMetrics } from '../../engine/index.ts';
import { measureAgain } from '../../report/index.ts';
import { playWritten } from './choose-poses.ts';

type Measure = NonNullable<JobFacts['measure']>;
type Context = Pick<JobContext, 'compute' | 'finish' | 'measuring'>;

/** Measures a result in the poses of its input, in the file of another format than GLB, for JobFacts.measure. */
function measurePosed(context: Context, posed: PosedAsset): Measure {
  return (asset, file) => measureAgain(context, listReferences(posed.asset))(playWritten(posed, asset), file);
}

/** The same for a result whose own errors are not those of the plain skin that the file holds: what any viewer shows. */
export function measurePlain(context: Context, posed: PosedAsset): Measure {
  return async (asset, file) => {
    const { metrics = {}, result } = await measurePosed(context, posed)(asset, file);
    const { perFrame: _perFrame, ...brief }: ReportMetrics = metrics;
    const { between } = result as { between?: object };
    return { result: { anyViewer: { ...brief, between } } };
  };
}
