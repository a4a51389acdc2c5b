// SPDX-License-Identifier: MIT

/** What a page gets wrong in its looks; runs in the page, so it uses nothing from outside. */
export function listLooks(): { faint: string[]; nameless: string[]; overflow: number } {
  type Rgba = [number, number, number, number];
  const parse = (text: string): Rgba => {
    const numbers = text.match(/[\d.]+/g)?.map(Number) ?? [0, 0, 0, 0];
    return [numbers[0], numbers[1], numbers[2], numbers[3] ?? 1];
  };
  const light = ([r, g, b]: Rgba): number => {
    const linear = [r, g, b].map((x) => (x / 255 <= 0.04045 ? x / 255 / 12.92 : ((x / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2];
  };
  const over = (a: Rgba, b: Rgba): Rgba => [0, 1, 2].map((c) => a[c] * a[3] + b[c] * (1 - a[3])).concat(1) as Rgba;
  const backOf = (element: Element): Rgba => {
    const layers: Rgba[] = [];
    for (let one: Element | null = element; one; one = one.parentElement) {
      const color = parse(getComputedStyle(one).backgroundColor);
      if (color[3] > 0) layers.push(color);
      if (color[3] === 1) break;
    }
    return layers.reduceRight((below, layer) => over(layer, below), [22, 24, 28, 1] as Rgba);
  };
  const isShown = (element: Element): boolean =>
    element.getClientRects().length > 0 && getComputedStyle(element).visibility !== 'hidden';
  const faint: string[] = [];
  for (const element of document.querySelectorAll('body *')) {
    const text = [...element.childNodes]
      .filter((node) => node.nodeType === Node.TEXT_NODE)
      .map((node) => node.textContent?.trim())
      .join('');
    // what is disabled, drawn, or not on the screen need not be read
    if (!text || !isShown(element) || element.closest(':disabled, [aria-disabled="true"], script, noscript, option'))
      continue;
    const back = backOf(element);
    const [a, b] = [light(over(parse(getComputedStyle(element).color), back)), light(back)].sort((x, y) => y - x);
    const ratio = (a + 0.05) / (b + 0.05);
    const { fontSize, fontWeight } = getComputedStyle(element);
    const isLarge =
      Number.parseFloat(fontSize) >= 24 || (Number.parseFloat(fontSize) >= 18.66 && Number(fontWeight) >= 700);
    if (ratio < (isLarge ? 3 : 4.5))
      faint.push(`${ratio.toFixed(2)} "${text.slice(0, 40)}" ${element.tagName}.${element.className}`);
  }
  const nameless: string[] = [];
  for (const control of document.querySelectorAll<HTMLElement>('button, input, select, summary, [role="slider"]')) {
    if (!isShown(control)) continue;
    const labels = (control as HTMLInputElement).labels;
    const name =
      control.getAttribute('aria-label') || control.textContent?.trim() || labels?.[0]?.textContent || control.title;
    if (!name) nameless.push(control.outerHTML.slice(0, 80));
  }
  return { faint, nameless, overflow: document.documentElement.scrollWidth - innerWidth };
}
