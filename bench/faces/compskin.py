# SPDX-License-Identifier: MIT
"""Runs the published code of "Compressed Skinning for Facial Blendshapes" on the shapes of a face.

    git clone https://github.com/facebookresearch/compskin
    node bench/faces/export-shapes.mjs face.glb out/face 2660
    python3 bench/faces/compskin.py compskin/model_fit.py out/face --nonzeros 6000 --alpha 10

The published file is read, not copied: its functions, its optimizer and its 2 x 10,000 iterations run unchanged. Replaced are the names of its inputs, its output, and three things that
do not change the method: the Laplacian is built sparse instead of dense (26,000 points would need 5 GB), weights are divided by their sum only where it is not zero (points that no shape
moves lose all weights, and the published division gives NaN), and the test animation is left out. Needs PyTorch and NumPy.
Figures are in mm of a head 250 mm high; the fit is in centimetres, as the published faces are.
"""
import argparse
import json
import time

import numpy as np

parser = argparse.ArgumentParser()
parser.add_argument("source", help="model_fit.py of the published repository")
parser.add_argument("folder", help="written by bench/faces/export-shapes.mjs")
parser.add_argument("--nonzeros", type=int, default=6000, help="0: all")
parser.add_argument("--alpha", type=float, default=10, help="weight of the Laplacian; 0: none")
parser.add_argument("--iterations", type=int, default=10000, help="of each of the two phases")
options = parser.parse_args()
HEAD_MM, SCALE = 250, 25


def laplacian(torch, triangles, count):
    """The matrix of the published code: -1 on the diagonal, one over the number of neighbours elsewhere."""
    edges = np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]])
    edges = edges[edges[:, 0] != edges[:, 1]]
    edges = np.unique(np.concatenate([edges, edges[:, ::-1]]), axis=0)
    degree = np.bincount(edges[:, 0], minlength=count)
    places = np.concatenate([edges, np.stack([np.arange(count)] * 2, 1)])
    values = np.concatenate([1 / degree[edges[:, 0]], -np.ones(count)])
    return torch.sparse_coo_tensor(places.T.copy(), torch.from_numpy(values).float(), (count, count)).coalesce()


def between(text, start, end):
    a = text.index(start)
    return a, text.index(end, a)


source = open(options.source, encoding="utf8").read()
source = source[: source.index("inbetween_dict = npb")]
source = source.replace("import scipy as sp\n", "").replace("import igl\n", "").replace("import rig.riglogic as rl\n", "")
a, b = between(source, 'model = "aura"', "torch.manual_seed")
source = source[:a] + "seed, P, max_influences, init_weight, power, beta = 12345, 40, 8, 1e-3, 2, None\n" + source[b:]
a, b = between(source, "npb = np.load", "# A is blendshapes")
source = source[:a] + "n_bs, total_nnz_Brt, deltas = given_count, given_nonzeros, given_deltas\n" + source[b:]
a, b = between(source, "quads = npb", "loss_list, abserr")
source = source[:a] + "rest, L = given_rest, given_laplacian(torch).to(device)\n" + source[b:]
source = source.replace("alpha = alphaValues[model]", "alpha = given_alpha").replace("train(10000", "train(given_iterations")
source = source.replace("W / W.sum(axis=0)", "W / W.sum(axis=0).clamp(min=1e-12)")

rest = np.fromfile(options.folder + "/rest.f32", np.float32).reshape(-1, 3)
factor = SCALE / (rest[:, 1].max() - rest[:, 1].min())
rest = rest * factor
shapes = np.fromfile(options.folder + "/deltas.f32", np.float32).reshape(-1, len(rest), 3) * factor
triangles = np.fromfile(options.folder + "/tri.i32", np.int32).reshape(-1, 3)
count = len(shapes)
scope = {
    "given_count": count,
    "given_nonzeros": options.nonzeros or 6 * count * 40,
    "given_deltas": shapes.transpose(1, 0, 2).reshape(-1, count * 3).transpose().copy(),
    "given_rest": rest,
    "given_laplacian": lambda torch: laplacian(torch, triangles, len(rest)),
    "given_alpha": options.alpha or None,
    "given_iterations": options.iterations,
}
begin, cpu = time.time(), time.process_time()
exec(compile(source, options.source, "exec"), scope)
errors = (scope["our_deltas"] - scope["orig_deltas"]).astype(np.float64) * (HEAD_MM / SCALE)
distances = np.sqrt((errors**2).sum(-1))
print(
    json.dumps(
        {
            "points": len(rest),
            "shapes": count,
            "nonzeros": int((scope["Brt"] != 0).sum()),
            "alpha": options.alpha,
            "rmsMm": float(np.sqrt((distances**2).mean())),
            "rmsPerCoordinateMm": float(np.sqrt((errors**2).mean())),
            "meanMm": float(distances.mean()),
            "maxMm": float(distances.max()),
            "seconds": time.time() - begin,
            "cpuSeconds": time.process_time() - cpu,
            "loss": scope["loss_list"][::5],
        }
    )
)
