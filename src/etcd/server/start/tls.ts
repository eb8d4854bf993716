import { utf8Decode } from '../../../platform/bytes.ts';
import { type Disk, readWhole } from '../../../platform/disk.ts';
import type { TlsClient, TlsServer } from '../../../platform/rpc.ts';
import type { Task } from '../../../platform/task.ts';
import type { TlsFiles } from '../config/config.ts';
import { StartError } from './errors.ts';

/** The server side of a port's TLS; undefined when no certificate is configured. */
export function* serverTls(disk: Disk, files: TlsFiles): Task<TlsServer | undefined> {
  if (files.certFile === '' && files.keyFile === '') return undefined;
  const certificatePem = yield* readPem(disk, files.certFile);
  const keyPem = yield* readPem(disk, files.keyFile);
  if (files.trustedCaFile === '') return { certificatePem, keyPem };
  const clientCaPem = yield* readPem(disk, files.trustedCaFile);
  return { certificatePem, keyPem, clientCaPem, clientAuth: files.clientCertAuth ? 'require' : 'optional' };
}

/** What a member shows and trusts when it calls a peer; undefined without certificates. */
export function* clientTls(disk: Disk, files: TlsFiles): Task<TlsClient | undefined> {
  const certFile = files.clientCertFile === '' ? files.certFile : files.clientCertFile;
  const keyFile = files.clientKeyFile === '' ? files.keyFile : files.clientKeyFile;
  if (certFile === '' && files.trustedCaFile === '') return undefined;
  return {
    ...(files.trustedCaFile === '' ? {} : { serverCaPem: yield* readPem(disk, files.trustedCaFile) }),
    ...(certFile === '' ? {} : { certificatePem: yield* readPem(disk, certFile) }),
    ...(keyFile === '' ? {} : { keyPem: yield* readPem(disk, keyFile) }),
  };
}

function* readPem(disk: Disk, path: string): Task<string> {
  const bytes = path === '' ? undefined : yield* readWhole(disk, path);
  if (bytes === undefined) throw new StartError(`open ${path}: no such file or directory`);
  return utf8Decode(bytes);
}
