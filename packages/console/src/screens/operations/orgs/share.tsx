import { Progress } from '@mantine/core';

interface Props {
  readonly what: string;
  readonly used: number;
  readonly limit: number | undefined;
}

/** The amount that a limit is used; nothing where there is none. */
export function Share({ what, used, limit }: Props) {
  if (limit === undefined) return null;
  const percent = limit === 0 ? 100 : Math.min(100, (used / limit) * 100);
  return (
    <Progress
      value={percent}
      color={percent >= 95 ? 'red' : percent >= 80 ? 'yellow' : 'cyan'}
      size="sm"
      miw={72}
      aria-label={`${what}: ${Math.round(percent)} % of the limit`}
    />
  );
}
