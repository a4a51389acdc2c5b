// SPDX-License-Identifier: MIT
// Saved poses: apply, remove, and export as JSON.
import { download, h } from '../elements/dom.ts';
import type { StoredPose } from '../state/project-file.ts';
import { listShapes } from '../state/shape-weights.ts';
import type { Studio } from '../state/studio.ts';

export function makePoseLibrary(studio: Studio, poses: StoredPose[]): HTMLElement {
  const list = h('ul', { class: 'list', id: 'poses' });
  const names = (): string[] => (studio.shown ? listShapes(studio.shown) : []);
  const save = h(
    'button',
    {
      id: 'save-pose',
      onclick: () => {
        const bones = studio.pose;
        if (!bones) return;
        const { weights } = studio.posing;
        const morphs = weights.size > 0 ? names().map((name) => weights.get(name) ?? 0) : [];
        poses.push({ name: nextName(poses), bones: [...bones], morphs });
        paint();
      },
    },
    'Save pose',
  );
  const write = h(
    'button',
    {
      id: 'export-poses',
      onclick: () => {
        const names = studio.shown?.rig?.names ?? [];
        download('poses.json', `${JSON.stringify({ bones: names, poses }, undefined, 1)}\n`, 'application/json');
      },
    },
    'Export poses',
  );
  const paint = (): void => {
    write.disabled = poses.length === 0;
    list.replaceChildren(
      ...poses.map((pose, n) =>
        h(
          'li',
          { class: 'row' },
          h(
            'button',
            {
              class: 'grow',
              onclick: () => {
                const boneCount = studio.shown?.rig?.names.length ?? 0;
                if (pose.bones.length !== 16 * boneCount)
                  studio.complain(`"${pose.name}" is a pose of other bones.`, true);
                else
                  studio.posing.set(
                    Float64Array.from(pose.bones),
                    new Map(names().flatMap((name, n) => (n < pose.morphs.length ? [[name, pose.morphs[n]]] : []))),
                  );
              },
            },
            pose.name,
          ),
          h(
            'button',
            {
              class: 'quiet',
              'aria-label': `Remove ${pose.name}`,
              onclick: () => {
                poses.splice(n, 1);
                paint();
              },
            },
            '×',
          ),
        ),
      ),
    );
  };
  studio.on(['pose', 'shown'], () => {
    save.disabled = studio.pose === undefined;
    paint();
  });
  save.disabled = true;
  paint();
  return h('div', { class: 'sheet inner' }, h('div', { class: 'row' }, save, write), list);
}

/** A name that no pose has yet. */
function nextName(poses: readonly StoredPose[]): string {
  for (let n = poses.length + 1; ; n++) if (!poses.some(({ name }) => name === `Pose ${n}`)) return `Pose ${n}`;
}
