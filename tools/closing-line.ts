/** How many tests passed and failed. A step that is no test counts as one failed when it fails, else not at all. */
export interface Count {
  readonly passed: number;
  readonly failed: number;
}

/** The last line of every run of tests, of the gate and of the CI script: what reads them needs no other format. */
export function closingLine({ passed, failed }: Count): string {
  return `${passed} passed, ${failed} failed`;
}

/** Reads the closing line back. Only the last line of the output counts, so that nothing a test prints can pose as it. */
export function readClosingLine(output: string): Count | undefined {
  const found = /(?:^|\n)(\d+) passed, (\d+) failed\s*$/.exec(output);
  return found === null ? undefined : { passed: Number(found[1]), failed: Number(found[2]) };
}
