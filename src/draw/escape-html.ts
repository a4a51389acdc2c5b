// SPDX-License-Identifier: MIT

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** Text made safe inside HTML elements and quoted attributes. Control characters, which HTML forbids, become spaces. */
export function escapeHtml(text: string): string {
  return text.replace(/[\p{Cc}]/gu, ' ').replace(/[&<>"']/g, (character) => ENTITIES[character]);
}
