/** Behind the place of the step, and before those of the steps within it. */
const mark = '!';

/** The place in a run of a value that a step makes, and that is kept with the run. */
export function valuePath(path: string, place: number): string {
  return `${path}${mark}${place}`;
}

/** Whether what lies at the place is a value that a step made, and no step. */
export function isValuePath(path: string): boolean {
  return path.includes(mark);
}
