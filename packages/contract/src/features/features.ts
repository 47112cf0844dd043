/** Features that have routes at both gateways, or kinds of config items, a line each. Their order means nothing. */
export { hooks } from './hooks.ts';
