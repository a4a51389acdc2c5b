// SPDX-License-Identifier: MIT
// The jobs of the corpus, a line each: its name and its command line. in/ has the generated inputs (inputs.mjs), data/ the data sets, where they are present.
import { FAILING } from './failing.mjs';

const JOBS = `
info-clip: info in/creature.abc
info-skin: info in/creature.glb --json
info-morphs: info in/swell.glb
info-cache: info in/walk.obj+in/walk.pc2 --fps 30 --unit cm --up z --scale 2
info-mdd: info in/twist.obj+in/twist.mdd --seed 3
info-sequence: info in/scan/a.*.obj --rest in/still.obj
info-gltf: info in/triangle.gltf --max-memory 1GB
info-ply: info in/tetrahedron.ply
info-stl: info in/triangle.stl
info-fbx: info in/creature.fbx
info-usda: info in/creature.usda
info-usdz: info in/creature.usdz
info-layers: info in/layers.glb
info-mushed: info in/mushed.glb
info-compact: info in/compact.glb
info-lit: info in/lit.glb --quiet

decompose-ssdr: decompose in/creature.abc out.glb --bones 8 --support exchange --verbose
decompose-wide: decompose in/wide.abc out.glb --bones 12 --iterations 6
decompose-sma: decompose in/joint.abc out.glb --method sma --bones-by patches --weights-by nnls
decompose-sma-cores: decompose in/joint.abc out.glb --method sma --bones-by cores --weights-by tsvd --epsilon 0.1 --transforms rigid
decompose-sma-bounded: decompose in/joint.abc out.glb --method sma --bones 4 --weights-by bounded --negativity 0.2
decompose-fsd: decompose in/joint.abc out.glb --method fsd --bones 4 --iterations 20 --tolerance 0.001
decompose-fsd-wide: decompose in/wide.abc out.glb --method fsd --bones 8 --iterations 8
decompose-lssp: decompose in/joint.abc out.glb --method lssp --bones 3 --penalty 0.05 --iterations 4
decompose-auto: decompose in/creature.abc out.glb --method auto --bones 6 --ridge 0.001
decompose-affine: decompose in/creature.abc out.glb --bones 5 --transforms affine --influences 3 --keep-rest
decompose-similarity: decompose in/swell.glb out.glb --bones 5 --transforms similarity --seed 7
decompose-norm: decompose in/joint.abc out.glb --bones 3 --norm 4
decompose-norm-max: decompose in/joint.abc out.glb --bones 3 --norm max
decompose-effect: decompose in/joint.abc out.glb --bones 4 --support effect --ridge 0.01 --tolerance 0.01
decompose-nearest-bones: decompose in/joint.abc out.glb --max-error 4%
decompose-rms: decompose in/joint.abc out.glb --rms 1%
decompose-kg: decompose in/joint.abc out.glb --kg 5
decompose-gate: decompose in/joint.abc out.glb --bones 4 --max-error 20%
decompose-corrections: decompose in/creature.abc out.glb --bones 4 --corrections 3 --corrections-as extension --corrections-normals inverse-transpose
decompose-morphs: decompose in/creature.abc out.glb --bones 4 --corrections 3 --corrections-as morphs
decompose-corrections-blend: decompose in/joint.abc out.glb --bones 3 --corrections auto --corrections-error 2% --corrections-normals blend
decompose-keys: decompose in/creature.abc out.glb --bones 4 --keys --quantize --shading flat
decompose-keys-length: decompose in/creature.abc out.glb --bones 4 --keys 0.5% --meshopt
decompose-size: decompose in/creature.abc out.glb --bones 4 --for size --codec auto
decompose-size-draco: decompose in/creature.abc out.glb --bones 4 --for size --codec draco
decompose-size-meshopt: decompose in/creature.abc out.glb --bones 4 --for size --codec meshopt
decompose-size-ossify: decompose in/creature.abc out.glb --bones 4 --for size --codec ossify --kg 20
decompose-noise: decompose in/creature.abc out.glb --bones 6 --noise 0.2% --denoise clean.abc
decompose-noise-off: decompose in/creature.abc out.glb --bones 4 --noise 0 --denoise clean.pc2
decompose-streamed: decompose in/walk.obj+in/walk.pc2 out.glb --bones 5 --max-memory 60kB
decompose-skeleton: decompose in/joint.abc out.glb --skeleton in/bar.glb
decompose-weights: decompose in/joint.abc out.glb --weights in/joint.glb
decompose-clips: decompose in/twist.obj+in/twist.pc2,in/twist.mdd out.glb --bones 4 --keys
decompose-frames: decompose in/creature.abc out.fbx --bones 4 --frames 1:6
decompose-animation: decompose in/creature.glb out.usda --bones 4 --animation 0 --rate 12 --together no
decompose-sequence: decompose in/scan/a.*.obj out.usdz --bones 3 --fps 12 --unit mm --up z --scale 10 --rest in/still.obj
decompose-parts: decompose in/parts.abc out.glb --bones 12 --shading keep
decompose-together: decompose in/parts.glb out.glb --bones 12 --together yes
decompose-time: decompose in/joint.abc out.glb --bones 3 --time 100

skeleton-found: skeleton in/joint.abc out.glb
skeleton-multipass: skeleton in/creature.abc out.glb --bones 5 --end-joints --bvh motion.bvh
skeleton-wide: skeleton in/wide.abc out.glb --bones 8 --iterations 2 --passes 2
skeleton-schaefer: skeleton in/creature.abc out.glb --method schaefer --bones 5
skeleton-deaguiar: skeleton in/creature.abc out.glb --method deaguiar --bones 5 --as-published
skeleton-hasler: skeleton in/joint.abc out.glb --method hasler --bones 3 --joint-solver pseudo-inverse
skeleton-soft: skeleton in/joint.abc out.glb --bones 3 --joint-solver soft --starts 2 --tidy
skeleton-anywhere: skeleton in/creature.abc out.glb --bones 4 --anywhere --root 0,0.5,0 --influences 3 --seed 5
skeleton-prune: skeleton in/joint.abc out.glb --prune weights --overestimate 8 --smoothness 0.001 --tolerance 0.01
skeleton-hierarchy: skeleton in/joint.abc out.glb --hierarchy in/joints.json
skeleton-template: skeleton in/joint.abc out.glb --hierarchy in/bar.glb --max-error 50%
skeleton-keys: skeleton in/joint.abc out.glb --bones 3 --keys --quantize --shading keep --rms 20%
skeleton-keys-flat: skeleton in/joint.abc out.glb --bones 3 --keys 1% --meshopt --shading flat --kg 60
skeleton-size: skeleton in/joint.abc out.glb --bones 3 --for size --codec auto
skeleton-size-meshopt: skeleton in/joint.abc out.glb --bones 3 --for size --codec meshopt
skeleton-size-ossify: skeleton in/joint.abc out.glb --bones 3 --for size --codec ossify
skeleton-noise: skeleton in/joint.abc out.glb --bones 3 --noise 0.3% --denoise clean.mdd --time 100
skeleton-frames: skeleton in/creature.glb out.fbx --bones 4 --frames ::2 --animation 0 --rate 24 --together no
skeleton-clips: skeleton in/twist.obj+in/twist.pc2,in/twist.mdd out.usda --bones 3 --bvh motion.bvh --together yes --fps 30
skeleton-sequence: skeleton in/scan/a.*.obj out.usdz --bones 3 --unit cm --up z --scale 2 --rest in/still.obj --max-memory 1GB

track-skin: track in/scan/a.0001.obj+in/scan/a.0002.obj+in/scan/a.0003.obj out.glb --bones 3 --template 0
track-mixed: track in/scan/a.0001.obj+in/scan/b.0001.obj+in/scan/a.0002.obj out.glb --bones 3 --influences 2 --force --clip clip.pc2
track-size-draco: track in/scan/a.0001.obj+in/scan/a.0002.obj out.glb --bones 2 --for size --codec draco --rms 5%
track-frames: track in/scan/a.0001.obj+in/scan/a.0002.obj+in/scan/a.0003.obj out.abc --template in/still.obj --fps 12 --unit cm --up z --scale 2 --force
track-size: track in/scan/a.0001.obj+in/scan/a.0002.obj+in/scan/a.0003.obj out.glb --bones 3 --for size --codec auto --rms 5%
track-size-meshopt: track in/scan/a.0001.obj+in/scan/a.0002.obj+in/scan/a.0003.obj out.glb --bones 3 --for size --codec meshopt --rms 5%
track-size-ossify: track in/scan/a.0001.obj+in/scan/a.0002.obj+in/scan/a.0003.obj out.glb --bones 3 --for size --codec ossify --rms 1%
track-fbx: track in/scan/a.0001.obj+in/scan/a.0002.obj+in/scan/a.0003.obj out.fbx --bones 3 --shading flat --seed 2
track-quantize: track in/scan/a.0001.obj+in/scan/a.0002.obj+in/scan/a.0003.obj out.glb --bones 3 --quantize --meshopt --shading keep --max-memory 1GB

reduce-exchange: reduce in/soft.glb out.glb --influences 3 --method exchange
reduce-klargest: reduce in/soft.glb out.glb --method klargest --influences 2
reduce-smooth: reduce in/soft.glb out.glb --method smooth
reduce-geometric: reduce in/soft.glb out.glb --method geometric
reduce-poisson: reduce in/soft.glb out.glb --method poisson --influences 3
reduce-twolayer: reduce in/soft.glb out.glb --method twolayer --influences 2.5 --pursuit pairs
reduce-virtual: reduce in/soft.glb out.glb --method twolayer --virtual-bones 20 --printed
reduce-mp: reduce in/soft.glb out.glb --method twolayer --virtual-bones 12 --pursuit mp
reduce-omp: reduce in/soft.glb out.glb --method twolayer --virtual-bones 12 --pursuit omp
reduce-ksvd-mp: reduce in/soft.glb out.glb --method twolayer --virtual-bones 12 --pursuit ksvd-mp
reduce-ksvd-omp: reduce in/soft.glb out.glb --method twolayer --virtual-bones 12 --pursuit ksvd-omp
reduce-max-error: reduce in/soft.glb out.glb --max-error 1% --normals 0
reduce-ranges: reduce in/soft.glb out.glb --poses ranges --ranges in/ranges.json --seed 4
reduce-none: reduce in/soft.glb out.glb --poses none --quantize --shading keep
reduce-clip: reduce in/creature.glb out.fbx --influences 2 --poses in/creature.obj+in/creature.pc2
reduce-cage: reduce in/creature.obj+in/creature.pc2 out.glb --cage in/cage.obj+in/cage.pc2 --influences 6
reduce-prune: reduce in/soft.glb out.glb --prune-bones 0.01 --max-bones 16 --shading flat --meshopt
reduce-prune-default: reduce in/soft.glb out.usda --prune-bones
reduce-size: reduce in/soft.glb out.glb --for size --codec auto --rms 1%
reduce-size-draco: reduce in/soft.glb out.glb --for size --codec draco --max-error 2%
reduce-size-ossify: reduce in/soft.glb out.glb --for size --codec ossify --kg 5
reduce-input: reduce in/creature.fbx out.glb --influences 2 --fps 30 --unit cm --up z --scale 2 --max-memory 1GB

mush-default: mush in/bar.glb out.glb --bind cells
mush-variant-1: mush in/bar.glb out.glb --variant 1 --iterations 5
mush-variant-2: mush in/bar.glb out.glb --variant 2 --reach 0.2
mush-variant-3: mush in/bar.glb out.glb --variant 3 --bind rigid
mush-variant-4: mush in/bar.glb out.glb --variant 4 --bind smooth
mush-variant-5: mush in/bar.glb out.glb --variant 5 --map none
mush-lambda: mush in/bar.glb out.glb --lambda 10 --kappa 0.5 --alpha 0.5 --threshold 0.001 --drop renormalize
mush-explicit: mush in/bar.glb out.glb --method explicit --lambda 0.8 --bridge 0.01 --quantize
mush-parts: mush in/parts.glb out.glb --shading flat --bridge 0.05 --seed 2 --max-memory 1GB
mush-meshopt: mush in/creature.glb out.glb --meshopt --shading keep
mush-input: mush in/creature.usda out.usda --fps 30 --unit cm --up z --scale 2

compress-default: compress in/bar.glb out.glb --virtual-bones 12 --iterations 3
compress-several: compress in/bar.glb out.glb --virtual-bones 6,10 --iterations 2 --influences 4 --bind cells
compress-max-error: compress in/bar.glb out.glb --max-error 5% --iterations 2
compress-mushed: compress in/mushed.glb out.glb --virtual-bones 10 --iterations 2 --ranges auto --examples 1
compress-linear: compress in/bar.glb out.glb --virtual-bones 10 --iterations 2 --objective linear --smoothness 0.01 --ranges in/ranges.json
compress-norm: compress in/bar.glb out.glb --virtual-bones 10 --iterations 2 --norm max --seed 3
compress-mush-options: compress in/bar.glb out.glb --virtual-bones 10 --iterations 2 --smoothing 8 --reach 0.2 --alpha 0.5 --map none --bind rigid --threshold 0.001 --drop renormalize --bridge 0.01
compress-lambda: compress in/bar.glb out.glb --virtual-bones 10 --iterations 2 --method explicit --lambda 0.8 --kappa 0.5 --bind smooth
compress-size: compress in/bar.glb out.glb --virtual-bones 10 --iterations 1 --for size --codec draco --rms 2%
compress-size-meshopt: compress in/bar.glb out.glb --virtual-bones 10 --iterations 1 --for size --codec meshopt --kg 20 --max-memory 1GB
compress-quantize: compress in/bar.glb out.glb --virtual-bones 10 --iterations 1 --quantize --shading flat
compress-fbx: compress in/creature.fbx out.glb --virtual-bones 12 --iterations 1 --meshopt --shading keep --fps 30 --unit cm --up z --scale 2

convert-rig: convert sample:helper-bone out.glb --helpers 2 --poses 20 --samples 8 --iterations 4 --controllers controllers.json --drivers blender
convert-max-error: convert sample:delta-mush-pole out.glb --max-error 10% --poses 20 --samples 6 --iterations 2
convert-rigid: convert sample:helper-bone out.glb --helpers 1 --transforms rigid --poses 20 --samples 6 --iterations 2 --sampling random --epsilon 0.02 --epsilon-of model --ranges in/ranges.json --normals 0.1 --normal-weights
convert-dual: convert sample:helper-bone out.glb --helpers 1 --target dual-quaternion --transforms rigid --poses 20 --samples 6 --iterations 2 --order 2 --beta 0.1 --joints 2 --influences 3
convert-file: convert in/mushed.glb out.glb --helpers 1 --poses 20 --samples 6 --iterations 2 --ranges auto --seed 3
convert-edit: convert sample:helper-bone out.glb --poses 20 --samples 8 --iterations 3 --edit in/helped.json
convert-around: convert sample:helper-bone out.glb --helpers 1 --around joint0 --poses 5 --samples 4 --iterations 1
convert-clip: convert in/joint.abc out.glb --skeleton in/bar.glb --helpers 1 --delay 0.1 --iterations 2
convert-clip-auto: convert in/joint.abc out.glb --skeleton in/bar.glb --helpers 1 --delay auto --frames 1:6 --iterations 2
convert-clip-bare: convert in/joint.abc out.glb --helpers 1 --iterations 2
convert-shapes: convert in/swell.glb out.glb --bones 6 --poses 20 --transforms affine --drivers blender
convert-shapes-rigid: convert in/swell.glb out.glb --bones 6 --transforms rigid --pairs 4 --nonzeros 60
convert-shapes-kept: convert in/swell.glb out.glb --bones 4 --keep-shapes 2 --examples both --poses 20 --quantize --shading flat
convert-shapes-error: convert in/swell.glb out.glb --max-error 5% --poses 20 --meshopt --shading keep
convert-morph-drivers: convert in/morph.glb out.glb --morph-drivers in/drivers.json --helpers 1 --poses 20 --samples 6 --iterations 2
convert-cage: convert in/creature.obj+in/creature.pc2 out.glb --cage in/cage.obj+in/cage.pc2 --bones 8 --poses 20
convert-eliminate: convert in/creature.glb out.glb --eliminate 0.5%
convert-size: convert in/bar.glb out.glb --helpers 1 --poses 20 --samples 6 --iterations 2 --for size --codec meshopt --rms 3%
convert-size-draco: convert in/bar.glb out.glb --helpers 1 --poses 20 --samples 6 --iterations 2 --for size --codec draco --kg 20
convert-input: convert in/creature.fbx out.usda --helpers 0 --poses 10 --samples 4 --iterations 1 --fps 30 --unit cm --up z --scale 2 --max-memory 1GB
convert-animation: convert in/swell.glb out.fbx --bones 4 --poses 20

lod-levels: lod in/creature.glb out.glb
lod-triangles: lod in/creature.glb out.glb --triangles 200 --keep-bones --quantize
lod-separate: lod in/creature.glb out.glb --levels 0.6,0.3 --separate --pose-count 4 --attributes 1
lod-max-error: lod in/creature.glb out.fbx --triangles 300 --max-error 40% --seed 2
lod-size: lod in/creature.glb out.glb --triangles 200 --for size --codec draco
lod-size-meshopt: lod in/creature.glb out.glb --triangles 200 --for size --codec meshopt
lod-size-ossify: lod in/creature.glb out.glb --triangles 200 --for size --codec ossify
lod-input: lod in/creature.fbx out.glb --levels 0.5 --fps 30 --unit cm --up z --scale 2 --meshopt --max-memory 1GB

edit-skin: edit in/creature.glb out.glb --edited in/edited.obj
edit-original: edit in/creature.glb out.abc --edited in/edited.obj --original in/rest.obj --frames 0:3
edit-animation: edit in/creature.glb out.glb --edited in/edited.obj --quantize --seed 2
edit-rate: edit in/creature.glb out.mdd --edited in/edited.obj --rate 12 --scale 2 --max-memory 1GB
edit-fbx: edit in/creature.fbx out.glb --edited in/edited.obj --meshopt

light-occlusion: light in/bend.glb out.glb --rays 32 --rank 2 --ground
light-transfer: light in/bend.glb out.glb --kind transfer --rays 16 --rank 3 --sun 60,30 --quantize
light-prelit: light in/bend.glb out.glb --kind prelit --rays 16 --ground 0.5 --sun 10,50 --seed 2
light-frames: light in/bend.glb out.glb --rays 16 --frames 0:3 --animation 0 --rate 12 --meshopt --max-memory 1GB
light-input: light in/creature.fbx out.glb --rays 8 --rank 2 --fps 30 --unit cm --up z --scale 2

compare-clip: compare in/creature.abc in/skin.glb
compare-page: compare in/joint.abc in/joint.glb --page page.html --pictures 1
compare-gate: compare in/joint.abc in/joint.glb --max-error 50% --json
compare-frames: compare in/creature.glb in/skin.glb --frames 0:3 --animation 0 --together no --keys
compare-plain: compare in/soft.glb in/layers.glb --plain --rate 12 --seed 2 --max-memory 1GB
compare-layers: compare in/soft.glb in/layers.glb --together yes
compare-input: compare in/twist.obj+in/twist.pc2 in/twist.obj+in/twist.mdd --fps 30 --unit cm --up z --scale 2

draw-rest: draw in/creature.glb out.png --size 160x120
draw-weights: draw in/creature.glb out.png --weights --bones --view front,side --size 120x90 --background dark
draw-weights-bone: draw in/bar.glb out.png --weights 1 --size 120x90 --background transparent
draw-sheet: draw in/walk.obj+in/walk.pc2 out.png --frames-sheet 3 --size 100x80 --fps 30 --wireframe
draw-light: draw in/lit.glb out.png --light --frame 3 --size 120x90
draw-error: draw in/joint.glb out.png --error in/joint.abc --frame 5 --size 120x90 --seed 2
draw-virtual: draw in/layers.glb out.png --virtual-bones --size 120x90 --max-memory 1GB
draw-plain: draw in/layers.glb out.png --plain --frames 0:4 --animation 0 --rate 12 --together no --size 120x90
draw-keys: draw in/parts.glb out.png --keys --frame 1 --together yes --size 120x90 --unit cm --up z --scale 2

bake-abc: bake in/creature.glb out.abc
bake-pc2: bake in/creature.glb out.pc2 --frames 0:4
bake-mdd: bake in/creature.glb out.mdd --animation 0 --rate 12
bake-obj: bake in/bar.glb frame.obj --frames 0:2
bake-fbx: bake in/creature.glb out.fbx
bake-usda: bake in/creature.glb out.usda --shading flat
bake-usdz: bake in/creature.glb out.usdz --shading keep
bake-glb: bake in/creature.usda out.glb --quantize
bake-meshopt: bake in/creature.fbx out.glb --meshopt --seed 2 --max-memory 1GB
bake-morphs: bake in/creature.abc out.glb --fps 12 --unit cm --up z --scale 2
bake-compact: bake in/compact.glb out.glb
bake-rest: bake in/creature.glb rest.obj --rest-pose
bake-linear: bake in/bar.glb out.pc2 --deformer linear --weights own
bake-dual: bake in/bar.glb out.pc2 --deformer dual-quaternion
bake-centers: bake in/bar.glb out.pc2 --deformer centers-of-rotation
bake-delta-mush: bake in/bar.glb out.pc2 --deformer delta-mush
bake-swing-twist: bake in/bar.glb out.pc2 --deformer swing-twist
bake-ddm0: bake in/bar.glb out.pc2 --deformer ddm0
bake-ddm1: bake in/bar.glb out.pc2 --deformer ddm1
bake-ddm2: bake in/bar.glb out.pc2 --deformer ddm2
bake-ddm3: bake in/bar.glb out.pc2 --deformer ddm3
bake-ddm4: bake in/bar.glb out.pc2 --deformer ddm4
bake-ddm5: bake in/bar.glb out.pc2 --deformer ddm5
bake-elastic: bake in/bar.glb out.pc2 --deformer linear --weights elastic
bake-biharmonic: bake in/bar.glb out.pc2 --deformer linear --weights biharmonic
bake-bone-texture: bake in/bar.glb out --as bone-texture
bake-vertex-texture: bake in/bar.glb out --as vertex-texture --texture exr
bake-bones: bake in/joint.abc out --as bone-texture --bones 4 --together no
bake-together: bake in/parts.glb out.abc --together yes
bake-sequence: bake in/scan/a.*.obj out.abc --rest in/still.obj

sample-list: sample --list
sample-mdd: sample bar-twist out.mdd --resolution 150 --frames 4 --seed 3
sample-obj: sample sheet out.obj --resolution 150 --max-memory 1GB
sample-swell: sample tube-swell out.abc --resolution 150 --frames 4
sample-cage: sample cage-quadruped out.abc --resolution 300 --frames 4
sample-lbs-branch: sample rig-lbs-branch out.glb
sample-lbs-serial: sample rig-lbs-serial out.glb
sample-pose-space: sample rig-pose-space-arm out.pc2 --frames 4
sample-corrective: sample rig-corrective-body out.glb
sample-leg: sample rig-muscle-leg out.glb
sample-arm: sample rig-muscle-arm out.pc2 --frames 4
demo: demo out --resolution 150 --seed 2 --max-memory 1GB

batch-list: batch in/jobs.jsonl --out out --jobs 1 --report report.json
batch-pattern: batch in/b*.glb --job bake --out out --extension abc --jobs 1 --json --part 1/2
batch-page: batch in/joint.abc --job decompose --bones 3 --out out --jobs 1 --page page.html
batch-slurm: batch in/jobs.jsonl --out out --emit slurm
batch-openjd: batch in/jobs.jsonl --out out --emit openjd
batch-make: batch in/joint.abc --job decompose --bones 3 --out out --emit make
init: init project
bench-list: bench --list

compress-size-auto: compress in/bar.glb out.glb --virtual-bones 6 --iterations 1 --for size --codec auto
convert-size-ossify: convert in/bar.glb out.glb --helpers 0 --poses 10 --samples 4 --iterations 1 --for size --codec ossify
convert-size-auto: convert in/bar.glb out.glb --helpers 1 --poses 10 --samples 4 --iterations 1 --for size --codec auto
skeleton-size-draco: skeleton in/joint.abc out.glb --bones 3 --for size --codec draco
reduce-size-meshopt: reduce in/soft.glb out.glb --for size --codec meshopt --rms 1%
lod-size-auto: lod in/creature.glb out.glb --triangles 200 --for size --codec auto

rest-reduce: reduce in/bar.glb out.glb --influences 1 --rest in/bar.glb
rest-mush: mush in/bar.glb out.glb --rest in/bar.glb
rest-compress: compress in/bar.glb out.glb --virtual-bones 6 --iterations 1 --rest in/bar.glb
rest-convert: convert in/scan/a.*.obj out.glb --skeleton in/bend.glb --helpers 0 --iterations 1 --rest in/still.obj
rest-lod: lod in/bar.glb out.glb --triangles 150 --rest in/bar.glb
rest-edit: edit in/bar.glb out.glb --edited in/still.obj --rest in/bar.glb
rest-light: light in/bar.glb out.glb --rays 8 --rank 2 --rest in/bar.glb
rest-compare: compare in/scan/a.*.obj in/still.obj --rest in/still.obj
rest-draw: draw in/scan/a.*.obj out.png --size 120x90 --rest in/still.obj

check-good: check in/bar.glb
check-target: check in/creature.glb --for unreal --json
check-fix: check in/creature.glb --for godot --fix out.glb
for-unreal: bake in/bar.glb out.fbx --for unreal
for-unity: bake in/creature.glb out.fbx --for unity --textures beside
for-godot: reduce in/soft.glb out.glb --influences 2 --for godot
for-blender: decompose in/creature.abc out.glb --bones 4 --iterations 3 --for blender
for-web: skeleton in/joint.abc out.glb --bones 3 --for web
for-ar: lod in/creature.glb out.usdz --levels 0.5 --for ar
for-textures: edit in/bar.glb out.gltf --edited in/bar.glb --textures beside
root-extract: bake in/creature.glb out.glb --root extract
root-none: reduce in/soft.glb out.glb --influences 2 --root none
root-lod: lod in/creature.glb out.glb --levels 0.5 --root extract --animation 0 --frames 2:6
root-mush: mush in/bar.glb out.glb --iterations 3 --root keep --animation 0 --frames 0:4
root-compress: compress in/bar.glb out.glb --virtual-bones 6 --iterations 1 --animation 0 --frames 0:4
root-convert: convert in/bar.glb out.glb --helpers 1 --poses 10 --samples 4 --iterations 1 --animation 0
takes-joined: bake in/bar.glb+in/bend.glb out.glb
strict-kept: bake in/bar.glb out.glb --strict

data-horse: decompose data/formats/Horse.glb out.glb --bones 4 --iterations 3
data-cloth: info data/formats/MVPCloth.abc
data-dform: info data/formats/appleseed_dform_ogawa.abc
data-box: info data/formats/deformingSubdTest.abc
data-morphs: convert data/formats/MorphStressTest.glb out.glb --bones 6 --poses 20
data-simple: reduce data/rigs/RiggedSimple.glb out.glb --influences 1
data-fox: info data/rigs/Fox.glb
data-cesium: bake data/rigs/CesiumMan.glb out.fbx
data-skin-fbx: bake data/formats/Bone_Skin.fbx out.glb
data-suzanne: bake data/formats/SuzanneMorphSparse.glb out.glb
`;

const parse = (text) =>
  text
    .split('\n')
    .filter((line) => line.includes(': '))
    .map((line) => {
      const [name, rest] = line.split(/: (.*)/s);
      return { name, words: rest.trim().split(/\s+/) };
    });

/** All jobs: { name, words }. */
export const LIST = [...parse(JOBS), ...parse(FAILING)];
const names = LIST.map(({ name }) => name);
if (new Set(names).size < names.length) throw new Error('two jobs of the corpus have one name');
