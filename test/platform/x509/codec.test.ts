import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeBase64, encodeBase64, encodeBase64Url } from '../../../src/platform/base64.ts';
import { crc32c } from '../../../src/platform/crc32c.ts';
import { CryptoError } from '../../../src/platform/crypto.ts';
import { sha1, sha256 } from '../../../src/platform/hash.ts';
import { decodeCertificate } from '../../../src/platform/x509/certificate.ts';
import { DerReader } from '../../../src/platform/x509/der.ts';
import { ipBytes, ipText } from '../../../src/platform/x509/ip.ts';
import { decodePem, encodePem } from '../../../src/platform/x509/pem.ts';
import { decodeTime, encodeTime } from '../../../src/platform/x509/time.ts';
import { createSimCrypto } from '../../../src/sim/crypto/crypto.ts';

describe('hashes', () => {
  it('agree with node:crypto for every length around block borders', () => {
    for (let size = 0; size < 200; size++) {
      const data = new Uint8Array(size).map((_, i) => i * 7 + size);
      expect(sha1(data)).toEqual(new Uint8Array(createHash('sha1').update(data).digest()));
      expect(sha256(data)).toEqual(new Uint8Array(createHash('sha256').update(data).digest()));
    }
  });

  it('crc32c has its check value and continues a running sum', () => {
    const digits = new Uint8Array([...'123456789'].map((digit) => digit.charCodeAt(0)));
    expect(crc32c(digits)).toBe(0xe3069283);
    expect(crc32c(digits.subarray(4), crc32c(digits.subarray(0, 4)))).toBe(0xe3069283);
    expect(crc32c(new Uint8Array(0))).toBe(0);
  });
});

describe('encodings', () => {
  it('base64 agrees with Buffer', () => {
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        expect(encodeBase64(bytes)).toBe(Buffer.from(bytes).toString('base64'));
        expect(encodeBase64Url(bytes).replace(/=+$/, '')).toBe(Buffer.from(bytes).toString('base64url'));
        expect(decodeBase64(encodeBase64(bytes))).toEqual(bytes);
      }),
    );
    for (const bad of ['a', 'ab', 'abc', 'ab==c', 'a===', 'ab!=', 'abcd=']) expect(decodeBase64(bad)).toBeNull();
    expect(decodeBase64('YW\nJj')).toEqual(Uint8Array.of(97, 98, 99));
  });

  it('addresses have one canonical text', () => {
    const texts = ['10.0.0.1', '::', '::1', 'fd00::1', '2001:db8::1:0:0:1', '1:2:3:4:5:6:7:8', 'fe80::'];
    for (const text of texts) expect(ipText(ipBytes(text)!)).toBe(text);
    expect(ipText(ipBytes('2001:DB8:0:0:0:0:0:1')!)).toBe('2001:db8::1');
    expect(ipText(ipBytes('::ffff:10.1.2.3')!)).toBe('10.1.2.3');
    for (const bad of [
      '',
      '10.0.0',
      '10.0.0.256',
      '01.2.3.4',
      '1::2::3',
      '1:2:3:4:5:6:7',
      '1:2:3:4:5:6:7:8::',
      'g::',
      ':1',
    ]) {
      expect(ipBytes(bad)).toBeNull();
    }
  });

  it('times survive the trip, in both forms', () => {
    fc.assert(
      fc.property(fc.integer({ min: -2_000_000_000, max: 253_402_300_799 }), (unixSec) => {
        expect(decodeTime(new DerReader(encodeTime(unixSec)))).toBe(unixSec);
      }),
    );
    expect(encodeTime(1_697_107_569).subarray(2)).toEqual(new Uint8Array(Buffer.from('231012104609Z')));
  });

  it('PEM survives the trip', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (content) => {
        expect(decodePem(`junk\n${encodePem('X', content)}more${encodePem('Y', content)}`)).toEqual([
          { label: 'X', content },
          { label: 'Y', content },
        ]);
      }),
    );
    expect(() => decodePem('nothing here')).toThrowError(CryptoError);
    expect(() => decodePem('-----BEGIN A-----\nYQ==\n')).toThrowError(/no end/);
  });

  it('a damaged certificate is refused with our error or read as another one, never anything else', () => {
    const crypto = createSimCrypto('fuzz');
    const ca = crypto.selfSignedAuthority({
      subject: { organizations: ['o'] },
      keySpec: 'ed25519',
      notBeforeSec: 0,
      notAfterSec: 1,
    });
    const { content } = decodePem(crypto.certificateToPem(ca.certificate))[0]!;
    fc.assert(
      fc.property(fc.nat(content.length - 1), fc.integer({ min: 0, max: 255 }), fc.boolean(), (at, byte, cut) => {
        const damaged = cut ? content.slice(0, at) : content.slice();
        if (!cut) damaged[at] = byte;
        try {
          decodeCertificate(damaged);
        } catch (error) {
          expect(error).toBeInstanceOf(CryptoError);
        }
      }),
      { numRuns: 2000 },
    );
  });
});
