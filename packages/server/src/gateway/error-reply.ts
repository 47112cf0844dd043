import type { ProblemBody, ProblemCode } from '@freehold/contract/problem';
import { problemTitles } from '@freehold/contract/problem-titles';
import type { Reply } from '../api/reply.ts';
import { Problem, reportedErrors } from '../lib/problem.ts';

/** Turns what was thrown into what a caller may see. `explain` knows the failures of the store. */
export interface ErrorReplies {
  reply(error: unknown, requestId: string): Reply;
}

interface ErrorRepliesOptions {
  /** The gateway's address: problem types are addresses of pages that it serves itself. */
  readonly baseUrl: () => string;
  readonly explain: (error: unknown) => Problem | undefined;
  /** The page for upgrading an org's plan; left out, the page behind the problem's type explains the limit. */
  readonly upgradeUrl?: (base: string) => string;
  /** Receives every internal error, with its cause. */
  readonly onFault: (error: unknown, requestId: string) => void;
}

export function createErrorReplies(options: ErrorRepliesOptions): ErrorReplies {
  return {
    reply: (error, requestId) => {
      const problem = error instanceof Problem ? error : options.explain(error);
      // A problem that we raised ourselves, such as too many sign-ins at once, is an answer and no fault.
      const isFault = !(error instanceof Problem) && (problem === undefined || problem.status >= 500);
      if (isFault) options.onFault(error, requestId);
      const shown = problem ?? new Problem('internal_error', 'an internal error occurred');
      return problemReply(upgradable(shown, options), requestId, options.baseUrl());
    },
  };
}

function upgradable(problem: Problem, { upgradeUrl, baseUrl }: ErrorRepliesOptions): Problem {
  if (problem.code !== 'plan_limit_exceeded') return problem;
  const upgrade_url = upgradeUrl?.(baseUrl()) ?? `${baseUrl()}${problemPath(problem.code)}`;
  return new Problem(problem.code, problem.message, { ...problem.details, upgrade_url });
}

function problemReply(problem: Problem, requestId: string, baseUrl: string): Reply {
  const { retry_after_seconds, allow, errors, ...details } = problem.details;
  const body: ProblemBody = {
    type: `${baseUrl}${problemPath(problem.code)}`,
    title: problemTitles[problem.code],
    status: problem.status,
    detail: problem.message.toWellFormed(),
    code: problem.code,
    request_id: requestId,
    ...details,
    ...(errors === undefined ? {} : { errors: reportedErrors(errors) }),
  };
  const headers: Record<string, string> = {};
  if (problem.status === 401) headers['WWW-Authenticate'] = challenge(problem.code);
  if (problem.status === 405) headers.Allow = `${allow}, OPTIONS`;
  if (problem.status === 503 || problem.status === 429) headers['Retry-After'] = String(retry_after_seconds ?? 1);
  return {
    status: problem.status,
    body: JSON.stringify(body),
    contentType: 'application/problem+json',
    headers,
    problem: problem.code,
  };
}

function problemPath(code: ProblemCode): string {
  return `/problems/${code}`;
}

/** RFC 6750, section 3: only errors about a token are described in the challenge. */
function challenge(code: ProblemCode): string {
  return tokenFaults.has(code) ? 'Bearer error="invalid_token"' : 'Bearer';
}

const tokenFaults: ReadonlySet<ProblemCode> = new Set([
  'token_invalid',
  'token_expired',
  'issuer_not_allowed',
  'audience_mismatch',
]);
