/** The code of a mailed link, which stands behind `#code=` so that no server and no log sees it. */
export function mailedCode(): string {
  return new URLSearchParams(window.location.hash.slice(1)).get('code') ?? '';
}
