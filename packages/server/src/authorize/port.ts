/** Decides whether a caller may do what it asks for, by its policies, and records what is decided. Knows nothing of HTTP. */

export { requestAlone } from './authorization-request.ts';
export { type AuthorizeDeps, actorOf, authorize, authorizeAction, mayRun } from './authorize.ts';
export { CallDecisions, type CallRecorder } from './recorded-calls.ts';
export { createRunCallers } from './run-callers.ts';
