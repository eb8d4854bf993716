import { describe, expect, it } from 'vitest';
import { hostPort, parseHostPort } from '../../src/platform/net.ts';

describe('an endpoint as text', () => {
  it.each([
    ['10.0.0.10', '10.0.0.10:50000'],
    ['10.0.0.10:443', '10.0.0.10:443'],
    ['cp-1.example.com:443', 'cp-1.example.com:443'],
    ['fd00::1', '[fd00::1]:50000'],
    ['fd00::1:443', '[fd00::1:443]:50000'],
    ['[fd00::1]', '[fd00::1]:50000'],
    ['[fd00::1]:443', '[fd00::1]:443'],
  ])('%s is %s', (text, whole) => {
    expect(hostPort(parseHostPort(text, 50_000)!)).toBe(whole);
  });

  it.each(['', ':443', '[fd00::1', '[fd00::1]443', 'cp-1:https'])('%j is none', (text) => {
    expect(parseHostPort(text, 50_000)).toBeNull();
  });
});
