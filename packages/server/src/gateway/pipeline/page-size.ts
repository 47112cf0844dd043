import { invalidInput } from '../../lib/problem.ts';

const byDefault = 50;
const most = 200;

/** How many items a page of a management list has at most. @throws Problem `invalid_request`. */
export function readPageSize(text: string | undefined, max = most): number {
  if (text === undefined) return Math.min(byDefault, max);
  const size = /^[1-9]\d{0,2}$/.test(text) ? Number(text) : 0;
  if (size >= 1 && size <= max) return size;
  const message = `\`pagesize\` must be a whole number from 1 to ${max}`;
  throw invalidInput('invalid_request', [{ pointer: '/pagesize', code: 'out_of_range', message }]);
}
