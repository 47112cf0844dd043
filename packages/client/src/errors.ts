import type { InputError, ProblemBody, ProblemCode } from '@freehold/contract/problem';

/** A call that was refused, that did not arrive, or whose reply cannot be read. */
export class FreeholdError extends Error {
  override readonly name: string = 'FreeholdError';
  /** The HTTP status; 0 if there was no reply. */
  readonly status: number;
  /** `network` if there was no reply; `unexpected_reply` if what replied is not the platform, as a proxy. */
  readonly code: ProblemCode | 'network' | 'unexpected_reply';
  readonly title: string;
  readonly detail: string;
  /** The id under which the platform logs the request. */
  readonly requestId: string | undefined;
  /** By which a builder looks up why policies denied the call. */
  readonly decisionId: string | undefined;
  readonly reason: 'implicit_deny' | 'explicit_deny' | undefined;
  /** The faults of the input, by JSON pointers into the body. */
  readonly errors: readonly InputError[];
  /** The seconds after which the platform asks to try again. */
  readonly retryAfter: number | undefined;
  /** The place of the operation that was refused, in an atomic batch. */
  readonly operation: number | undefined;
  /** An attempt to change something had no answer, so the change may have been made. */
  readonly uncertain: boolean;
  /** The whole problem (RFC 9457), with the members of its code, such as `metric` of `plan_limit_exceeded`. */
  readonly problem: Readonly<Record<string, unknown>>;

  constructor(failure: Failure) {
    const { problem, status = 0, code = 'unexpected_reply' } = failure;
    const detail = problem?.detail ?? failure.detail ?? '';
    super(detail, { cause: failure.cause });
    this.status = problem?.status ?? status;
    this.code = problem?.code ?? code;
    this.title = problem?.title ?? detail;
    this.detail = detail;
    this.requestId = problem?.request_id ?? failure.requestId;
    this.decisionId = textOf(problem?.decision_id);
    const reason = problem?.reason;
    this.reason = reason === 'implicit_deny' || reason === 'explicit_deny' ? reason : undefined;
    this.errors = Array.isArray(problem?.errors) ? problem.errors : [];
    this.retryAfter = failure.retryAfter;
    this.operation = operationOf(this.errors);
    this.uncertain = failure.uncertain === true;
    this.problem = problem ?? {};
  }

  /** The faults of one member of the body, such as `/email`. */
  errorAt(pointer: string): string | undefined {
    return this.errors.find((error) => error.pointer === pointer)?.message;
  }
}

/** The record or config is not at the version that `ifMatch` said. */
export class VersionConflictError extends FreeholdError {
  override readonly name = 'VersionConflictError';
  /** The current entity tag, where the reply says it. */
  readonly currentEtag: string | undefined;

  constructor(failure: Failure) {
    super(failure);
    this.currentEtag = textOf(failure.problem?.etag);
  }
}

interface Failure {
  readonly problem?: ProblemBody | undefined;
  readonly status?: number;
  readonly code?: FreeholdError['code'];
  readonly detail?: string;
  readonly requestId?: string | undefined;
  readonly retryAfter?: number | undefined;
  readonly uncertain?: boolean;
  readonly cause?: unknown;
}

/** @param uncertain whether an earlier attempt of the same change had no answer. */
export async function errorOf(
  response: Response,
  { retryAfter, uncertain }: { readonly retryAfter: number | undefined; readonly uncertain: boolean },
): Promise<FreeholdError> {
  const { status, headers } = response;
  const problem = await problemOf(response);
  const requestId = headers.get('x-request-id') ?? undefined;
  const detail = `the reply has the status ${status} and no explanation`;
  const failure = { problem, status, detail, requestId, retryAfter, uncertain };
  return errorFor(failure);
}

/** The problem of one operation of an independent batch. */
export function problemError(problem: ProblemBody): FreeholdError {
  return errorFor({ problem });
}

function errorFor(failure: Failure): FreeholdError {
  return failure.problem?.code === 'version_mismatch' ? new VersionConflictError(failure) : new FreeholdError(failure);
}

async function problemOf(response: Response): Promise<ProblemBody | undefined> {
  if (mediaTypeOf(response.headers) !== 'application/problem+json') return undefined;
  const body: unknown = await response.json().catch(() => undefined);
  return isProblem(body) ? body : undefined;
}

/** The media type of a reply, in lower case and without parameters; empty where there is none. */
export function mediaTypeOf(headers: Headers): string {
  return (headers.get('content-type') ?? '').replace(/;.*/, '').trim().toLowerCase();
}

function isProblem(value: unknown): value is ProblemBody {
  return typeof value === 'object' && value !== null && 'code' in value && 'detail' in value;
}

function operationOf(errors: readonly InputError[]): number | undefined {
  const index = /^\/operations\/(\d+)\//.exec(errors[0]?.pointer ?? '')?.[1];
  return index === undefined ? undefined : Number(index);
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
