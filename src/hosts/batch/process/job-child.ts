// SPDX-License-Identifier: MIT
// The process that the pool starts. It loads all methods once and runs many jobs.
import { drawThumbnail } from '../pages/draw-thumbnail.ts';
import { runRemoteTask } from './run-remote-task.ts';
import { serveTasks } from './serve-tasks.ts';

serveTasks({ run: runRemoteTask, draw: drawThumbnail });
