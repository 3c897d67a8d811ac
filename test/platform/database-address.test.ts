import { describe, expect, it } from 'vitest';
import { databaseAddress } from '../../src/platform/database-address.ts';

describe('the address of a database', () => {
  it.each([
    ['libsql://group_01-my-app.lite.example.net/', 'https://group_01-my-app.lite.example.net/'],
    ['https://a.lite.example.net', 'https://a.lite.example.net/'],
    ['wss://a.lite.example.net/', 'https://a.lite.example.net/'],
    ['libsql://lite.example.net/', 'https://lite.example.net/'],
    ['libsql://a.lite.example.net/?x=1#y', 'https://a.lite.example.net/'],
    ['libsql://127.0.0.1:8081', 'http://127.0.0.1:8081/'],
    ['libsql://127.0.0.1:8081?tls=1', 'https://127.0.0.1:8081/'],
    ['http://127.0.0.1:8081/base', 'http://127.0.0.1:8081/base'],
    ['http://[::1]:8081/', 'http://[::1]:8081/'],
  ])('%s is %s', (url, expected) => {
    const hosts = ['lite.example.net', '127.0.0.1', '[::1]'];
    expect(databaseAddress({ url }, hosts).href).toBe(expected);
  });

  it('is built from the id and the first host when there is no URL', () => {
    expect(databaseAddress({ id: 'db_01' }, ['lite.example.net', 'other.example']).href).toBe(
      'https://db_01.lite.example.net/',
    );
    expect(databaseAddress({ id: 'db_01' }, ['lite.example.net:8443']).href).toBe(
      'https://db_01.lite.example.net:8443/',
    );
  });

  it('keeps to the port that an entry carries', () => {
    const at = (url: string) => () => databaseAddress({ url }, ['db.example:8443', '127.0.0.1:9000']);
    expect(at('https://a.db.example:8443/')).not.toThrow();
    expect(at('https://a.db.example/')).toThrow(/not one that tokens/);
    expect(at('http://127.0.0.1:9000/')).not.toThrow();
    expect(at('http://127.0.0.1:9001/')).toThrow(/not one that tokens/);
  });

  it('finds a database of this machine by its id under localhost, without encryption', () => {
    expect(databaseAddress({ id: 'db_01' }, ['localhost:9000', '127.0.0.1:9000']).href).toBe(
      'http://db_01.localhost:9000/',
    );
  });

  it('has no database under an IP address', () => {
    expect(() => databaseAddress({ id: 'db_01' }, ['127.0.0.1:9000'])).toThrow(/not to an IP address/);
    expect(() => databaseAddress({ url: 'http://a.127.0.0.1/' }, ['127.0.0.1'])).toThrow();
  });
});
