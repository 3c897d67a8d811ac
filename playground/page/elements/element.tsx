/** Draws one Block Kit element by its type. */
import type { ComponentChildren } from 'preact';
import { actionOf, type Element } from '../blocks/kit.ts';
import { Unsupported } from '../blocks/unsupported.tsx';
import { keyOf, useForm } from '../form.ts';
import { Icon } from '../icons.tsx';
import { Button, FeedbackButtons, IconButton, Overflow } from './buttons.tsx';
import { Choices } from './choices.tsx';
import { FileInput } from './file-input.tsx';
import { Picture } from './image.tsx';
import { DatePicker, TextInput } from './inputs.tsx';
import type { ElementProps } from './props.ts';
import { Select } from './select.tsx';

/** An element, drawn by its type. */
export function ElementView(props: ElementProps): ComponentChildren {
  const { element } = props;
  switch (element.type) {
    case 'button':
    case 'workflow_button':
      return <Button {...props} element={element} />;
    case 'icon_button':
      return <IconButton {...props} element={element} />;
    case 'feedback_buttons':
      return <FeedbackButtons {...props} element={element} />;
    case 'overflow':
      return <Overflow {...props} element={element} />;
    case 'checkboxes':
    case 'radio_buttons':
      return <Choices {...props} element={element} />;
    case 'datepicker':
    case 'timepicker':
    case 'datetimepicker':
      return <DatePicker {...props} element={element} />;
    case 'plain_text_input':
    case 'number_input':
    case 'email_text_input':
    case 'url_text_input':
    case 'rich_text_input':
      return <TextInput {...props} element={element} />;
    case 'file_input':
      return <FileInput {...props} element={element} />;
    case 'image':
      return <Picture image={element} class="accessory-image" />;
    case 'static_select':
    case 'external_select':
    case 'users_select':
    case 'channels_select':
    case 'conversations_select':
    case 'multi_static_select':
    case 'multi_external_select':
    case 'multi_users_select':
    case 'multi_channels_select':
    case 'multi_conversations_select':
      return <Select {...props} />;
    default:
      return <Unsupported what="element" type={(element as { type: string }).type} content={element} />;
  }
}

/** Why pressing one of these elements came to nothing, below their block. */
export function Failure({ block, elements }: { block: string; elements: Element[] }) {
  const { failure } = useForm();
  if (!failure || !elements.some((element) => keyOf(block, actionOf(element)) === failure.key)) return null;
  return (
    <p class="failure" role="alert">
      <Icon name="warning" size={16} /> {failure.error}
    </p>
  );
}
