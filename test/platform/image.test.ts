import { describe, expect, it } from 'vitest';
import { splitImage } from '../../src/platform/image.ts';

describe('image references', () => {
  it.each([
    ['etcd', 'etcd', undefined, undefined],
    ['gcr.io/etcd-development/etcd:v3.6.5', 'gcr.io/etcd-development/etcd', 'v3.6.5', undefined],
    ['host:5000/x', 'host:5000/x', undefined, undefined],
    ['host:5000/x:v1@sha256:0a', 'host:5000/x', 'v1', 'sha256:0a'],
    ['x@sha256:0a', 'x', undefined, 'sha256:0a'],
  ])('%s', (reference, repository, tag, digest) => {
    expect(splitImage(reference)).toEqual({ repository, tag, digest });
  });
});
