// SPDX-License-Identifier: MIT
// Runs Dem Bones (https://github.com/electronicarts/dem-bones, a header library) for `ossify bench noise`, with its default options and four weights per vertex.
// Build: g++ -O3 -march=native -fopenmp -std=c++14 -I dem-bones/include -I eigen bench/noise/dem-bones.cpp -o dem-bones
// Use: DEM_BONES=./dem-bones ossify bench noise
// Input: int32 vertices, frames, triangles; float32 rest pose and frames; int32 triangles. Output: float32 frames as skinned.
#include <DemBones/DemBones.h>
#include <DemBones/MatBlocks.h>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

int main(int argc, char** argv) {
  if (argc < 4) return 2;
  FILE* file = fopen(argv[1], "rb");
  int32_t head[3];
  if (!file || fread(head, 4, 3, file) != 3) return 1;
  const int vertices = head[0], frames = head[1], triangles = head[2];
  std::vector<float> rest(3 * vertices), posed((size_t)frames * 3 * vertices);
  std::vector<int32_t> corners(3 * triangles);
  if (fread(rest.data(), 4, rest.size(), file) != rest.size()) return 1;
  if (fread(posed.data(), 4, posed.size(), file) != posed.size()) return 1;
  if (fread(corners.data(), 4, corners.size(), file) != corners.size()) return 1;
  fclose(file);

  Dem::DemBones<double, float> dem;
  dem.nV = vertices;
  dem.nF = frames;
  dem.nS = 1;
  dem.nB = atoi(argv[3]);
  dem.nnz = 4;
  dem.fStart.resize(2);
  dem.fStart << 0, frames;
  dem.subjectID = Eigen::VectorXi::Zero(frames);
  dem.u.resize(3, vertices);
  dem.v.resize(3 * frames, vertices);
  for (int i = 0; i < vertices; i++)
    for (int r = 0; r < 3; r++) {
      dem.u(r, i) = rest[3 * i + r];
      for (int k = 0; k < frames; k++) dem.v(3 * k + r, i) = posed[((size_t)k * vertices + i) * 3 + r];
    }
  for (int t = 0; t < triangles; t++) dem.fv.push_back({corners[3 * t], corners[3 * t + 1], corners[3 * t + 2]});
  dem.compute();

  for (int i = 0; i < vertices; i++)
    for (int k = 0; k < frames; k++) {
      Eigen::Matrix4d blend = Eigen::Matrix4d::Zero();
      for (Eigen::SparseMatrix<double>::InnerIterator it(dem.w, i); it; ++it) blend += it.value() * dem.m.blk4(k, it.row());
      const Eigen::Vector3d at = blend.topLeftCorner<3, 3>() * dem.u.col(i) + blend.topRightCorner<3, 1>();
      for (int r = 0; r < 3; r++) posed[((size_t)k * vertices + i) * 3 + r] = at(r);
    }
  file = fopen(argv[2], "wb");
  if (!file) return 1;
  fwrite(posed.data(), 4, posed.size(), file);
  fclose(file);
  return 0;
}
