import { platformErrorsApi } from '@freehold/contract/management/operator/errors';
import type { ReplyOf } from '@freehold/contract/route';
import type { AnyRoute } from '../../../api/route.ts';
import { serve } from '../../../api/serve.ts';

export interface ErrorRouteDeps {
  readonly errorLog: {
    /** @throws Problem `invalid_cursor`. */
    list(query: {
      readonly requestId: string | undefined;
      readonly pageSize: number;
      readonly nexttoken: string | undefined;
    }): ReplyOf<typeof platformErrorsApi.listErrors>;
  };
}

/** The last errors of the node, for the operator. */
export function errorRoutes({ errorLog }: ErrorRouteDeps): readonly AnyRoute[] {
  return [
    serve(platformErrorsApi.listErrors, ({ query: { request_id: requestId, pagesize: pageSize, nexttoken } }) =>
      errorLog.list({ requestId, pageSize, nexttoken }),
    ),
  ];
}
