// SPDX-License-Identifier: MIT

/** Contents of an exported page: the bundled viewer, and GLBs in base 64. */
export interface ViewerPage {
  title: string;
  script: string;
  model: string;
  /** What the model is compared with. */
  source?: string;
}

/** Makes a self-contained page: one file with the viewer and its models. */
export function makeViewerPage({ title, script, model, source }: ViewerPage): string {
  const escaped = title.replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);
  const other = source === undefined ? '' : `<script id="source" type="text/plain">${source}</script>\n`;
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'unsafe-inline' 'wasm-unsafe-eval'; style-src 'unsafe-inline'; img-src data: blob:; connect-src data: blob:">
<title>${escaped}</title>
<body>
<script id="model" type="text/plain">${model}</script>
${other}<script>${script.replaceAll('</script', '<\\/script')}</script>
</body>
</html>
`;
}

/** Bytes as base 64, encoded asynchronously by the browser, so that the page stays responsive. */
export function toBase64(bytes: Uint8Array): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result).replace(/^[^,]*,/, ''));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(new Blob([bytes as BlobPart]));
  });
}
