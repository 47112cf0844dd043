import type { ProblemCode } from '@freehold/contract/problem';
import { Problem } from '../../../lib/problem.ts';
import type { RaisedStatus } from '../../kinds/logicblock-steps.ts';
import { Uncaught } from '../block-failure.ts';
import type { StepType } from './step-compiler.ts';
import { textOf } from './text-of.ts';

const codes: Readonly<Record<RaisedStatus, ProblemCode>> = {
  400: 'validation_failed',
  403: 'access_denied',
  404: 'not_found',
  409: 'conflict',
  422: 'block_refused',
};

const messageMax = 2000;

/** The block's own code stands in `errors`: that of the problem is the platform's, and says its status. */
export const raise: StepType<'raise'> = ({ status, code, message, field = '' }, { template }) => {
  const sentence = template(message);
  return (run) => {
    const text = textOf(run.evaluate(sentence)).slice(0, messageMax).toWellFormed();
    const raised = new Problem(codes[status], text, { errors: [{ pointer: field, code, message: text }] });
    throw new Uncaught(raised, 'block');
  };
};
