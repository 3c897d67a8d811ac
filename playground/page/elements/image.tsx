/** Pictures, by address or by the id of a file that the bot uploaded. */
import { useState } from 'preact/hooks';

/** Both shapes of Block Kit's images. */
export interface ImageSource {
  alt_text: string;
  image_url?: string;
  slack_file?: { id?: string; url?: string };
}

/** The address of a picture. */
function sourceOf(image: object): string {
  const { image_url, slack_file } = image as ImageSource;
  return image_url ?? (slack_file?.id ? `/ui/files/${encodeURIComponent(slack_file.id)}` : (slack_file?.url ?? ''));
}

/** A picture with its text. */
export function Picture({ image, class: name = '' }: { image: { alt_text: string }; class?: string }) {
  const [failed, setFailed] = useState(false);
  if (failed) return <span class={`image-missing ${name}`}>{image.alt_text || 'Image'}</span>;
  return (
    <img
      class={name}
      src={sourceOf(image)}
      alt={image.alt_text}
      title={image.alt_text}
      onError={() => setFailed(true)}
    />
  );
}
