/**
 * Lower-cases A to Z and nothing else: patterns and subjects that are both folded match without regard to ASCII case.
 * `toLowerCase` would also turn the Kelvin sign U+212A into `k`, and a name that looks like another into that other.
 */
export function foldAscii(text: string): string {
  let folded = '';
  let kept = 0;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit < 0x41 || unit > 0x5a) continue;
    folded += text.slice(kept, index) + String.fromCharCode(unit + 0x20);
    kept = index + 1;
  }
  return kept === 0 ? text : folded + text.slice(kept);
}
