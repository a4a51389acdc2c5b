// SPDX-License-Identifier: MIT
// For node --import: the clock of the day jumps by up to an hour, forward and back, several times a second.
const now = Date.now.bind(Date);
const MAX_JUMP = 3_600_000;
let offset = 0;
let last = 0;
Date.now = () => {
  const tick = Math.floor(performance.now() / 300);
  if (tick !== last)
    offset = Math.round(MAX_JUMP * ((2 * Math.abs(Math.sin(12.9898 * tick) * 43758.5453)) % 2) - MAX_JUMP);
  last = tick;
  return now() + offset;
};
