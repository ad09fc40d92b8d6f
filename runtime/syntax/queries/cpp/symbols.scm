; inherits: c

; `class EXPORT Server { … }`: the grammar takes the macro for the name, and the class for a function.
(function_definition type: (class_specifier !body) declarator: (identifier) @name) @definition.class
(function_definition type: (struct_specifier !body) declarator: (identifier) @name) @definition.struct

(class_specifier name: (_) @name body: (_)) @definition.class
(translation_unit (class_specifier name: (type_identifier) @name !body) @declaration.class)
(declaration_list (class_specifier name: (type_identifier) @name !body) @declaration.class)
(declaration_list (struct_specifier name: (type_identifier) @name !body) @declaration.struct)
(declaration_list (enum_specifier name: (type_identifier) @name !body) @declaration.enum)
(field_declaration_list (field_declaration !declarator type: (class_specifier name: (type_identifier) @name !body)) @declaration.class)
(field_declaration_list (field_declaration !declarator type: (struct_specifier name: (type_identifier) @name !body)) @declaration.struct)
(template_declaration (class_specifier name: (type_identifier) @name !body) @declaration.class)
(template_declaration (struct_specifier name: (type_identifier) @name !body) @declaration.struct)
(namespace_definition name: (_) @name) @definition.namespace
(namespace_alias_definition name: (_) @name) @definition.namespace
(alias_declaration name: (type_identifier) @name) @definition.type_alias
(concept_definition name: (identifier) @name) @definition.interface

(base_class_clause [(type_identifier) (qualified_identifier) (template_type)] @base)

(function_declarator declarator: (field_identifier) @name.method)
(function_declarator declarator: (destructor_name) @name.method)
(function_declarator declarator: (operator_name) @name.function)
(function_declarator declarator: (qualified_identifier) @name.function)
(function_declarator declarator: (template_function) @name.function)
(operator_cast) @name.method
(declaration declarator: (qualified_identifier) @name.variable)
(init_declarator declarator: (qualified_identifier) @name.variable)
(reference_declarator (identifier) @name.variable)
(reference_declarator (field_identifier) @name.field)

(template_declaration
  [(class_specifier) (struct_specifier) (union_specifier) (function_definition) (declaration)
   (alias_declaration) (concept_definition) (template_declaration)] @wrapped) @wrapper
(template_parameter_list) @local
(requires_expression) @local
