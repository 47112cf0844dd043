/** The modules that no other module needs, a line each. Their order means nothing. */
export { aggregates, transfer } from '../records/port.ts';
