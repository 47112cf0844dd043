/**
 * Every refusal a caller may see: RFC 9457 problem details with a stable `code`.
 * The status of a code is fixed here, so that no two places can answer one mistake differently.
 */
export const problemStatus = {
  invalid_request: 400,
  validation_failed: 400,
  unknown_field: 400,
  invalid_cursor: 400,
  unindexed_sort: 400,
  search_unavailable: 400,
  token_missing: 401,
  token_invalid: 401,
  token_expired: 401,
  signature_invalid: 401,
  credentials_invalid: 401,
  client_unknown: 401,
  issuer_not_allowed: 401,
  audience_mismatch: 401,
  access_denied: 403,
  account_disabled: 403,
  escalation_refused: 403,
  prod_read_only: 403,
  workspace_required: 403,
  workspace_suspended: 403,
  role_required: 403,
  second_factor_required: 403,
  second_factor_locked: 403,
  origin_refused: 403,
  signup_closed: 403,
  not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  unique_violation: 409,
  last_admin: 409,
  dangling_reference: 409,
  no_previous_version: 409,
  in_use: 409,
  org_mismatch: 409,
  version_mismatch: 412,
  body_too_large: 413,
  unsupported_media_type: 415,
  expectation_failed: 417,
  block_refused: 422,
  block_failed: 422,
  idempotency_key_reused: 422,
  headers_too_large: 431,
  request_timeout: 408,
  before_event_failed: 424,
  plan_limit_exceeded: 429,
  rate_limited: 429,
  internal_error: 500,
  unavailable: 503,
  outcome_unknown: 503,
} as const;

export type ProblemCode = keyof typeof problemStatus;

/** One mistake in the input: where it stands (JSON pointer, RFC 6901), what kind it is, and a sentence. */
export interface InputError {
  readonly pointer: string;
  readonly code: string;
  readonly message: string;
}

/** The body of every refusal, as it crosses the wire (`application/problem+json`). */
export interface ProblemBody {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly code: ProblemCode;
  readonly request_id: string;
  readonly errors?: readonly InputError[];
  readonly [extension: string]: unknown;
}
