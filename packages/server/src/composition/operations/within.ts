const patience = 5000;

/** The facts that are known by then, and `otherwise` where it fails or takes too long. */
export async function within<T>(work: Promise<T>, otherwise: T): Promise<T> {
  const { promise, resolve } = Promise.withResolvers<T>();
  const timer = setTimeout(() => resolve(otherwise), patience);
  work.then(resolve, () => resolve(otherwise));
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
  }
}
