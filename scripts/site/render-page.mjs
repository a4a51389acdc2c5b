// SPDX-License-Identifier: MIT
// One page of the site: Markdown to HTML, with links that work from any folder of any host.
import { posix } from 'node:path';
import MarkdownIt from 'markdown-it';
import { ADDRESSES, APPLICATIONS, repositoryAddress, SECTIONS } from './site-pages.mjs';

const ICON =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'%3E%3Cg stroke='%23c2600f' stroke-width='4' stroke-linecap='round'%3E%3Cpath d='M10 22 22 10'/%3E%3C/g%3E%3Cg fill='%23c2600f'%3E%3Ccircle cx='7' cy='22' r='4'/%3E%3Ccircle cx='10' cy='25' r='4'/%3E%3Ccircle cx='22' cy='7' r='4'/%3E%3Ccircle cx='25' cy='10' r='4'/%3E%3C/g%3E%3C/svg%3E";

/** Renders a Markdown file of the repository; source is its path from the root. */
export function renderPage(source, markdown) {
  const address = ADDRESSES.get(source);
  const to = (target) => posix.relative(posix.dirname(address), target);
  const body = makeRenderer(source, to).render(markdown);
  const title = /^# (.+)$/m.exec(markdown)?.[1] ?? 'Ossify';
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(source === 'README.md' ? 'Ossify: bones for anything that moves' : `${title} · Ossify`)}</title>
<link rel="icon" href="${ICON}">
<link rel="stylesheet" href="${to('site.css')}">
</head>
<body>
<a class="skip" href="#content">Skip to content</a>
<header>
<a class="name" href="${to('index.html')}">Ossify</a>
${APPLICATIONS.map(([target, text]) => `<a href="${to(target)}">${text}</a>`).join('\n')}
</header>
<details class="menu">
<summary>Pages</summary>
${renderNavigation(source, to)}
</details>
<nav class="side" aria-label="Pages">
${renderNavigation(source, to)}
</nav>
<main id="content">
${renderRunLink(source)}${body}</main>
</body>
</html>
`;
}

/** A page at an old address: leads to the new one, and anchors that are on another page now to theirs. */
export function renderRedirect({ from, to, anchors }) {
  const link = (target) => {
    const [source, anchor] = target.split('#');
    const address = posix.relative(posix.dirname(from), ADDRESSES.get(source));
    return anchor ? `${address}#${anchor}` : address;
  };
  const moved = Object.fromEntries(Object.entries(anchors ?? {}).map(([old, target]) => [`#${old}`, link(target)]));
  const address = link(to);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Moved · Ossify</title>
<link rel="canonical" href="${address}">
<noscript><meta http-equiv="refresh" content="0; url=${address}"></noscript>
<script>
const moved = ${JSON.stringify(moved)};
location.replace(moved[location.hash] ?? '${address}' + location.hash);
</script>
</head>
<body><p>This page has moved: <a href="${address}">${address}</a></p></body>
</html>
`;
}

function renderNavigation(source, to) {
  return SECTIONS.map(({ heading, pages }) => {
    const items = pages.map(([page, text]) => {
      const current = page === source ? ' aria-current="page"' : '';
      return `<li><a href="${to(ADDRESSES.get(page))}"${current}>${escapeHtml(text)}</a></li>`;
    });
    return `<p>${heading}</p>\n<ul>\n${items.join('\n')}\n</ul>`;
  }).join('\n');
}

/** Pages of examples link to the example beside them. */
function renderRunLink(source) {
  return source.startsWith('examples/') ? '<p class="run"><a href="index.html">Run this example</a></p>\n' : '';
}

function makeRenderer(source, to) {
  const renderer = new MarkdownIt({ html: false, linkify: false, typographer: false });
  const { rules } = renderer.renderer;
  const slugs = new Map();

  rules.heading_open = (tokens, at, options, _env, self) => {
    const slug = slugOf(tokens[at + 1].content);
    const count = slugs.get(slug) ?? 0;
    slugs.set(slug, count + 1);
    tokens[at].attrSet('id', count === 0 ? slug : `${slug}-${count}`);
    return self.renderToken(tokens, at, options);
  };
  rules.link_open = (tokens, at, options, _env, self) => {
    tokens[at].attrSet('href', resolveLink(source, tokens[at].attrGet('href'), to));
    return self.renderToken(tokens, at, options);
  };
  const image = rules.image;
  rules.image = (tokens, at, options, env, self) => {
    tokens[at].attrSet('src', to(posix.join(posix.dirname(source), tokens[at].attrGet('src'))));
    tokens[at].attrSet('loading', 'lazy');
    return image(tokens, at, options, env, self);
  };
  rules.table_open = () => '<div class="table" tabindex="0"><table>\n';
  rules.table_close = () => '</table></div>\n';
  return renderer;
}

/** Links between Markdown files become links between pages; links to other files of the repository lead there. */
function resolveLink(source, href, to) {
  if (/^[a-z]+:|^#/i.test(href)) return href;
  const [path, anchor] = href.split('#');
  const target = posix.join(posix.dirname(source), path).replace(/\/$/, '');
  const page = ADDRESSES.get(target) ?? ADDRESSES.get(`${target}/README.md`);
  const address = page ? to(page) : repositoryAddress(target);
  return anchor ? `${address}#${anchor}` : address;
}

/** As GitHub makes anchors of headings, so that links work in both places. */
function slugOf(text) {
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-');
}

function escapeHtml(text) {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/"/g, '&quot;');
}
