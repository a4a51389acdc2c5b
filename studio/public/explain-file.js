// SPDX-License-Identifier: MIT
// Browsers load modules over http only: a page that was opened as a file shows this note instead of staying empty.
if (location.protocol === 'file:') {
  const note = document.createElement('p');
  note.className = 'fault';
  note.id = 'file-note';
  note.textContent =
    'The studio does not run from a file: browsers load its parts only over http. Run "ossify view", or serve this folder, for example with "npx http-server".';
  document.body.replaceChildren(note);
}
