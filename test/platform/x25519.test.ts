import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { toHex } from '../../src/platform/bytes.ts';
import { x25519PublicKey } from '../../src/platform/x25519.ts';

describe('X25519', () => {
  it('gives the same public keys as OpenSSL', () => {
    for (let i = 0; i < 10; i++) {
      const { d, x } = generateKeyPairSync('x25519').privateKey.export({ format: 'jwk' });
      expect(toHex(x25519PublicKey(Buffer.from(d!, 'base64url')))).toBe(Buffer.from(x!, 'base64url').toString('hex'));
    }
  });
});
