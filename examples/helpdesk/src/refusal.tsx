/** Why the platform refused a call, as an alert; nothing where it did not. */
export function Refusal({ error }: { readonly error: Error | null }) {
  if (error === null) return null;
  return (
    <p className="refusal" role="alert">
      {error.message}
    </p>
  );
}
