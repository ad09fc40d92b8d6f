; See runtime/syntax/symbol_captures.h for the captures. Where two patterns name the same node, the
; first one counts.
(type_definition type: (struct_specifier !name body: (_) @body) declarator: (type_identifier) @name) @definition.struct
(type_definition type: (union_specifier !name body: (_) @body) declarator: (type_identifier) @name) @definition.struct
(type_definition type: (enum_specifier !name body: (_) @body) declarator: (type_identifier) @name) @definition.enum

(struct_specifier name: (_) @name body: (_)) @definition.struct
(union_specifier name: (_) @name body: (_)) @definition.struct
(enum_specifier name: (_) @name body: (_)) @definition.enum
(translation_unit (struct_specifier name: (type_identifier) @name !body) @declaration.struct)
(translation_unit (union_specifier name: (type_identifier) @name !body) @declaration.struct)
(translation_unit (enum_specifier name: (type_identifier) @name !body) @declaration.enum)
(enumerator name: (identifier) @name) @definition.enum_member
(preproc_def name: (identifier) @name) @definition.macro
(preproc_function_def name: (identifier) @name) @definition.macro

; Declarators nest without end: a name finds the statement around it.
(function_definition) @statement.definition
(declaration) @statement.declaration
(field_declaration) @statement.declaration
(type_definition) @statement.declaration
(declaration declarator: (_) @declarator)
(field_declaration declarator: (_) @declarator)
(type_definition declarator: (_) @declarator)
(parameter_list) @local
(compound_statement) @local

(function_declarator declarator: (identifier) @name.function)
(function_declarator declarator: (parenthesized_declarator (identifier) @name.function))
(declaration declarator: (identifier) @name.variable)
(init_declarator declarator: (identifier) @name.variable)
(pointer_declarator declarator: (identifier) @name.variable)
(array_declarator declarator: (identifier) @name.variable)
(field_declaration declarator: (field_identifier) @name.field)
(pointer_declarator declarator: (field_identifier) @name.field)
(array_declarator declarator: (field_identifier) @name.field)
(type_definition declarator: (type_identifier) @name.type_alias)
(type_definition declarator: (primitive_type) @name.type_alias)
(parenthesized_declarator (type_identifier) @name.type_alias)
(pointer_declarator declarator: (type_identifier) @name.type_alias)
(array_declarator declarator: (type_identifier) @name.type_alias)
(function_declarator declarator: (type_identifier) @name.type_alias)

(linkage_specification body: (declaration) @wrapped) @wrapper
(linkage_specification body: (function_definition) @wrapped) @wrapper
(comment) @comment
