/** Builds the image of `deploy/Dockerfile` and starts containers of it, where podman and mmdebstrap of Debian are installed. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Ended, temporaryDirectory } from '../platform.ts';

const root = join(import.meta.dirname, '..', '..', '..', '..');
const bundle = '/etc/ssl/certs/ca-certificates.crt';
const folder = temporaryDirectory();
const environment = { ...process.env, CONTAINERS_CONF: join(folder, 'containers.conf') };
const image = 'localhost/freehold:test';

export interface Container {
  readonly stdout: () => string;
  readonly stderr: () => string;
  readonly ended: Promise<Ended>;
  /** Resolves when a line says that it is ready, and rejects when it ends before. */
  readonly ready: Promise<void>;
}

function run(program: string, words: readonly string[], cwd = root): string {
  const { status, stdout, stderr, error } = spawnSync(program, words, {
    cwd,
    env: environment,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  if (status !== 0) throw new Error(`${program} ${words[0]}: ${error?.message ?? ''}\n${stdout}\n${stderr}`);
  return stdout;
}

/** A store of images of this test's own, without the limits and the control groups that podman asks a kernel for. */
export function podman(...words: readonly string[]): string {
  return run('podman', podmanWords(words));
}

function podmanWords(words: readonly string[]): readonly string[] {
  const places = ['--root', join(folder, 'store'), '--runroot', join(folder, 'run')];
  return [...places, '--storage-driver', 'overlay', '--cgroup-manager', 'cgroupfs', '--runtime', 'runc', ...words];
}

/** Why no image is built here; false where one is. */
export function whyNoImage(): string | false {
  if (process.getuid?.() !== 0) return 'not run: building the base of the image needs root';
  for (const program of ['podman', 'runc', 'mmdebstrap'])
    if (spawnSync(program, ['--version']).status !== 0) return `not run: ${program} is not installed`;
  return false;
}

/**
 * The image, on a base with what the one that the Dockerfile names has of it: Debian, Node of the version that tests run on, and
 * npm. No registry of images is asked.
 */
export function buildImage(): void {
  writeFileSync(environment.CONTAINERS_CONF, '[containers]\ndefault_ulimits = []\n');
  const base = join(folder, 'base');
  mkdirSync(base);
  const packages = 'base-files,libc6,libstdc++6,libgcc-s1,libatomic1,coreutils,dash,bash';
  run('mmdebstrap', ['--variant=extract', `--include=${packages}`, 'bookworm', join(base, 'debian.tar')]);
  cpSync(process.execPath, join(base, 'node'));
  const npm = run('npm', ['root', '--global']).trim();
  cpSync(realpathSync(join(npm, 'npm')), join(base, 'npm'), { recursive: true });
  writeFileSync(
    join(base, 'Dockerfile'),
    `FROM scratch
ADD debian.tar /
COPY node /usr/local/bin/node
COPY npm /usr/local/lib/node_modules/npm
RUN mkdir -p /tmp /root && ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm && node --version
ENV HOME=/root NODE_EXTRA_CA_CERTS=${bundle} npm_config_prefer_offline=true
`,
  );
  const alone = ['--isolation', 'chroot', '--pull=never', '--format', 'docker'];
  podman('build', ...alone, '--tag', 'docker.io/library/node:26-bookworm-slim', base);
  const cache = run('npm', ['config', 'get', 'cache']).trim();
  const mounts = [`${cache}:/root/.npm`, ...(existsSync(bundle) ? [`${bundle}:${bundle}:ro`] : [])];
  const shared = ['--network', 'host', ...mounts.flatMap((mount) => ['--volume', mount])];
  const ignored = ['--ignorefile', 'deploy/Dockerfile.dockerignore'];
  podman('build', ...alone, ...shared, ...ignored, '--file', 'deploy/Dockerfile', '--tag', image, '.');
}

/** A container as `compose.yaml` has it: nothing can be written but the volume, and no capability is left. */
export function startContainer(name: string, volume: string, env: Readonly<Record<string, string>>): Container {
  const settings = Object.entries(env).flatMap(([key, value]) => ['--env', `${key}=${value}`]);
  const fences = ['--read-only', '--cap-drop', 'all', '--security-opt', 'no-new-privileges', '--network', 'host'];
  const words = [
    'run',
    '--rm',
    '--name',
    name,
    ...fences,
    '--volume',
    `${volume}:/var/lib/freehold`,
    ...settings,
    image,
  ];
  const child = spawn('podman', podmanWords(words), { env: environment, stdio: ['ignore', 'pipe', 'pipe'] });
  const output = { stdout: '', stderr: '' };
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output.stderr += text;
  });
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output.stdout += text;
  });
  const ended = endOf(child);
  const ready = new Promise<void>((resolve, reject) => {
    child.stdout.on('data', () => {
      if (/^ready app=/m.test(output.stdout)) resolve();
    });
    ended.then(({ code }) => reject(new Error(`ended with ${code}: ${output.stdout}${output.stderr}`)), reject);
  });
  return { stdout: () => output.stdout, stderr: () => output.stderr, ended, ready };
}

/** Ends what runs, and takes the mounts away that keep the folder from being removed. */
export function removeAll(): void {
  podman('rm', '--all', '--force');
  spawnSync('umount', [join(folder, 'store', 'overlay')]);
}

function endOf(child: ChildProcess): Promise<Ended> {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve({ code, signal }));
  });
}
