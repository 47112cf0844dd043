import type { InputError, ProblemBody, ProblemCode } from '@freehold/contract/problem';

/** A call that was refused, or that did not arrive. */
export class ApiProblem extends Error {
  override readonly name = 'ApiProblem';
  /** `unreachable` if there was no reply. */
  readonly code: ProblemCode | 'unreachable';
  readonly status: number;
  readonly requestId: string | undefined;
  /** The faults of the input, by JSON pointers into the body. */
  readonly errors: readonly InputError[];
  readonly body: ProblemBody | undefined;

  constructor(body: ProblemBody | undefined, sentence: string) {
    super(body?.detail ?? sentence);
    this.code = body?.code ?? 'unreachable';
    this.status = body?.status ?? 0;
    this.requestId = body?.request_id;
    this.errors = body?.errors ?? [];
    this.body = body;
  }

  /** The faults of one member of the body, such as `/email`. */
  errorAt(pointer: string): string | undefined {
    return this.errors.find((error) => error.pointer === pointer)?.message;
  }
}

export async function problemOf(response: Response): Promise<ApiProblem> {
  const isProblem = response.headers.get('content-type')?.startsWith('application/problem+json') === true;
  const body: unknown = isProblem ? await response.json().catch(() => undefined) : undefined;
  if (isProblemBody(body)) return new ApiProblem(body, '');
  return new ApiProblem(undefined, `the reply has the status ${response.status} and no explanation`);
}

function isProblemBody(value: unknown): value is ProblemBody {
  return typeof value === 'object' && value !== null && 'code' in value && 'detail' in value;
}
