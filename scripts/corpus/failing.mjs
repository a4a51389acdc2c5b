// SPDX-License-Identifier: MIT
// Jobs of the corpus that fail: wrong usage (status 2), files that cannot be read (1), limits that are not met (3).

export const FAILING = `
fail-command: decomposse in/creature.abc out.glb
fail-option: decompose in/creature.abc out.glb --bonez 3
fail-value: decompose in/creature.abc out.glb --bones many
fail-choice: decompose in/creature.abc out.glb --method magic
fail-missing-output: decompose in/creature.abc
fail-output-format: decompose in/creature.abc out.obj
fail-conflict: decompose in/creature.abc out.glb --skeleton in/bar.glb --bones 3
fail-other-method: decompose in/creature.abc out.glb --epsilon 0.1
fail-locked: decompose in/joint.abc out.glb --weights in/joint.glb --locked _LOCKED
fail-absent: decompose in/absent.abc out.glb
fail-empty: info in/empty.glb
fail-words: info in/words.glb
fail-obj-words: info in/words.obj
fail-cut-json: info in/cut.gltf
fail-buffer: info in/far.gltf
fail-index: info in/short.obj
fail-extension: info in/jobs.jsonl
fail-no-motion: decompose in/still.obj out.glb
fail-pairs: decompose in/still.obj+in/creature.pc2 out.glb
fail-memory: skeleton in/walk.obj+in/walk.pc2 out.glb --max-memory 60kB
fail-frames: decompose in/creature.abc out.glb --frames 50:60
fail-animation: bake in/creature.glb out.abc --animation nobody
fail-gate: decompose in/creature.abc out.glb --bones 2 --max-error 0.001%
fail-gate-skeleton: skeleton in/joint.abc out.glb --bones 2 --max-error 0.001%
fail-gate-reduce: reduce in/soft.glb out.glb --influences 1 --max-error 0.001%
fail-gate-compare: compare in/creature.abc in/skin.glb --max-error 0.001%
fail-root: skeleton in/joint.abc out.glb --bones 3 --root nobody
fail-joints: skeleton in/joint.abc out.glb --hierarchy in/jobs.jsonl
fail-track-single: track in/still.obj out.glb
fail-no-skin: mush in/creature.abc out.glb
fail-reduce-still: reduce in/still.obj out.glb
fail-ranges: compress in/bar.glb out.glb --ranges in/bad-ranges.json
fail-compress-codec: compress in/bar.glb out.glb --virtual-bones 6 --iterations 1 --for size --codec ossify
fail-sample: convert sample:unicorn out.glb
fail-eliminate: convert in/still.obj out.glb --eliminate 0.1%
fail-keep-shapes: convert in/swell.glb out.glb --keep-shapes 0.5
fail-other-mesh: compare in/creature.abc in/bar.glb
fail-edit: edit in/creature.glb out.glb --edited in/still.obj
fail-light-still: light in/still.obj out.glb
fail-frame: draw in/joint.abc out.png --frame 99
fail-overwrite: bake in/bar.glb in/bar.glb
fail-batch-job: batch in/jobs.jsonl --job nothing --out out
fail-shell: completion tcsh
fail-worker: worker
fail-suite: bench nothing
`;
