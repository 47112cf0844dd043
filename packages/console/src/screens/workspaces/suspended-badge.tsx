import { Badge } from '@mantine/core';

/** Of a workspace whose members are barred. */
export function SuspendedBadge() {
  return (
    <Badge variant="outline" color="red" tt="none">
      suspended
    </Badge>
  );
}
