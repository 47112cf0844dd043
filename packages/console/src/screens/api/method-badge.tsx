import type { Method } from '@freehold/docs/openapi/openapi';
import { Badge } from '@mantine/core';

const colors: Readonly<Record<Method, string>> = { GET: 'cyan', POST: 'green', PUT: 'orange', DELETE: 'red' };

export function MethodBadge({ method }: { readonly method: Method }) {
  return (
    <Badge variant="dot" color={colors[method]} radius="sm" w={84} style={{ flexShrink: 0 }}>
      {method}
    </Badge>
  );
}
