"""More chat templates, for one user turn with an image and one answer; tools, system turns and videos left out.

Where from: MLLAMA from Llama-3.2-11B-Vision-Instruct's chat_template.json; LLAMA4 from transformers' processing_llama4;
MISTRAL3 from Mistral-Small-3.1-24B-Instruct-2503's chat_template.json, its system prompt shortened to the sentence with
the date; IDEFICS2 from idefics2-8b's processor_config.json; GLM in the form of GLM-4.1V-9B-Thinking's (plain strings as
answers, no end of the answer: generation stops at the next turn's "<|user|>"); CHATML is the bare form that LFM2-VL,
Ovis2, FastVLM and others use, with their own placeholder; COHERE2 in the form of command-a-vision's; DEEPSEEK from
transformers' conversion script of DeepSeek-VL; ARIA from rhymes-ai/Aria's chat_template.json; VIPLLAVA from llava-hf's
model card of ViP-LLaVA.
"""

MLLAMA = (
    "{{- bos_token }}{%- for message in messages %}"
    "{{- '<|start_header_id|>' + message['role'] + '<|end_header_id|>\n\n' }}"
    "{%- if message['content'] is string %}{{- message['content'] }}{%- else %}"
    "{%- for content in message['content'] %}{%- if content['type'] == 'image' %}{{- '<|image|>' }}"
    "{%- elif content['type'] == 'text' %}{{- content['text'] }}{%- endif %}{%- endfor %}{%- endif %}"
    "{{- '<|eot_id|>' }}{%- endfor %}"
    "{%- if add_generation_prompt %}{{- '<|start_header_id|>assistant<|end_header_id|>\n\n' }}{%- endif %}"
)
LLAMA4 = MLLAMA.replace("<|start_header_id|>", "<|header_start|>").replace("<|end_header_id|>", "<|header_end|>")
LLAMA4 = LLAMA4.replace("<|eot_id|>", "<|eot|>")
MISTRAL3 = (
    '{%- set today = strftime_now("%Y-%m-%d") %}'
    "{{- bos_token }}{{- '[SYSTEM_PROMPT]The current date is ' + today + '.[/SYSTEM_PROMPT]' }}"
    "{%- for message in messages %}{%- if message['role'] == 'user' %}"
    "{%- if message['content'] is string %}{{- '[INST]' + message['content'] + '[/INST]' }}{%- else %}{{- '[INST]' }}"
    "{%- for block in message['content'] %}{%- if block['type'] == 'text' %}{{- block['text'] }}"
    "{%- elif block['type'] in ['image', 'image_url'] %}{{- '[IMG]' }}{%- endif %}{%- endfor %}{{- '[/INST]' }}"
    "{%- endif %}{%- elif message['role'] == 'assistant' %}"
    "{%- if message['content'] is string %}{{- message['content'] + eos_token }}"
    "{%- else %}{{- message['content'][0]['text'] + eos_token }}{%- endif %}{%- endif %}{%- endfor %}"
)
IDEFICS2 = (
    "{% for message in messages %}{{message['role'].capitalize()}}"
    "{% if message['content'][0]['type'] == 'image' %}{{':'}}{% else %}{{': '}}{% endif %}"
    "{% for line in message['content'] %}{% if line['type'] == 'text' %}{{line['text']}}"
    "{% elif line['type'] == 'image' %}{{ '<image>' }}{% endif %}{% endfor %}<end_of_utterance>\n{% endfor %}"
    "{% if add_generation_prompt %}{{ 'Assistant:' }}{% endif %}"
)
GLM = (
    "[gMASK]<sop>{%- for msg in messages %}{%- if msg.role == 'user' %}\n<|user|>\n"
    "{%- if msg.content is string %}{{ msg.content }}{%- else %}{%- for item in msg.content %}"
    "{%- if item.type == 'image' or 'image' in item %}<|begin_of_image|><|image|><|end_of_image|>"
    "{%- elif item.type == 'text' %}{{ item.text }}{%- endif %}{%- endfor %}{%- endif %}"
    "{%- elif msg.role == 'assistant' %}\n<|assistant|>\n{{ msg.content }}{%- endif %}{%- endfor %}"
    "{%- if add_generation_prompt %}\n<|assistant|>\n{% endif %}"
)
CHATML = (
    "{{ bos_token }}{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\n' }}"
    "{% if message['content'] is string %}{{ message['content'] }}{% else %}{% for content in message['content'] %}"
    "{% if content['type'] == 'image' %}{{ '<image>' }}{% elif content['type'] == 'text' %}{{ content['text'] }}"
    "{% endif %}{% endfor %}{% endif %}{{ '<|im_end|>\n' }}{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}"
)
COHERE2 = (
    "{{- bos_token -}}{% for message in messages %}{%- set tag = '<|USER_TOKEN|>' if message['role'] == 'user' else "
    "'<|CHATBOT_TOKEN|><|START_RESPONSE|>' -%}<|START_OF_TURN_TOKEN|>{{ tag }}"
    "{%- for item in message['content'] -%}{%- if item['type'] == 'image' -%}<|IMG_PATCH|>"
    "{%- elif item['type'] == 'text' -%}{{ item['text'] }}{%- endif -%}{%- endfor -%}"
    "{%- if message['role'] == 'assistant' -%}<|END_RESPONSE|>{%- endif -%}<|END_OF_TURN_TOKEN|>{% endfor %}"
    "{%- if add_generation_prompt -%}<|START_OF_TURN_TOKEN|><|CHATBOT_TOKEN|><|START_RESPONSE|>{%- endif -%}"
)
DEEPSEEK = (
    "{% set seps = ['\n\n', '<｜end▁of▁sentence｜>'] %}"
    "You are a helpful language and vision assistant.\n\n{% for message in messages %}"
    "{% if message['role']|lower == 'user' %}User: {% else %}Assistant: {% endif %}"
    "{% for content in message['content'] %}{% if content['type'] == 'image' %}<image_placeholder>"
    "{% elif content['type'] == 'text' %}{{ content['text'] }}{% endif %}{% endfor %}"
    "{% if not loop.last or add_generation_prompt %}"
    "{% if message['role']|lower == 'user' %}{{ seps[0] }}{% else %}{{ seps[1] }}{% endif %}{% endif %}{% endfor %}"
    "{% if add_generation_prompt %}Assistant:{% endif %}"
)
ARIA = (
    "{% for message in messages %}<|im_start|>{{ message['role'] }}\n{% if message['content'] is string %}"
    "{{ message['content'] }}{% elif message['content'] is iterable %}{% for item in message['content'] %}"
    "{% if item['type'] == 'text' %}{{ item['text'] }}{% elif item['type'] == 'image' %}<fim_prefix><|img|><fim_suffix>"
    "{% endif %}{% endfor %}{% endif %}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
VIPLLAVA = (
    "A chat between a curious human and an artificial intelligence assistant.{% for message in messages %}"
    "{% if message['role'] == 'user' %}###Human: {% else %}###Assistant: {% endif %}"
    "{% for content in message['content'] | selectattr('type', 'equalto', 'image') %}{{ '<image>\n' }}{% endfor %}"
    "{% for content in message['content'] | selectattr('type', 'equalto', 'text') %}{{ content['text'] }}{% endfor %}"
    "{% endfor %}{% if add_generation_prompt %}###Assistant:{% endif %}"
)
